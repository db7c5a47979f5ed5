-- Bots that leave a tournament, fixtures that are decided without play, ratings that are taken back, and deadlines.

-- Seconds: `match`, how long an arbiter may have a fixture; `fixture`, how long one waits for a live bot; `round`, how long a
-- round may take once those before it are complete, null where it follows from its fixtures. `watched_at`: when a worker has
-- last seen that the tournament can be played; deadlines stand still meanwhile.
ALTER TABLE tournament
    ADD COLUMN deadlines jsonb NOT NULL DEFAULT '{"match": 3600, "fixture": 300, "round": null}'
        CHECK (jsonb_typeof(deadlines) = 'object'),
    ADD COLUMN watched_at timestamptz;

-- `annulled`: in the table its fixtures, played or not, count as won by the others.
ALTER TABLE entrant
    ADD COLUMN left_as text CHECK (left_as IN ('withdrawn', 'disqualified')),
    ADD COLUMN annulled boolean NOT NULL DEFAULT false,
    ADD CHECK (NOT annulled OR left_as IS NOT NULL);

-- `absent`: decided without play, and which entrants were not there. `waits_since`: when it was first found that a live bot
-- is missing.
ALTER TABLE fixture
    ADD COLUMN absent integer[],
    ADD COLUMN waits_since timestamptz;
ALTER TABLE fixture DROP CONSTRAINT fixture_check3;
ALTER TABLE fixture
    ADD CHECK (state = 'scheduled' OR attempt > 0 OR absent IS NOT NULL),
    ADD CHECK (absent IS NULL OR state = 'done');

-- `pass`: how often the ratings of a round were taken back. Of its changes those of this pass count.
ALTER TABLE round
    ADD COLUMN deadline timestamptz,
    ADD COLUMN pass integer NOT NULL DEFAULT 0 CHECK (pass >= 0);
ALTER TABLE rating_change
    ADD COLUMN pass integer NOT NULL DEFAULT 0 CHECK (pass >= 0);
ALTER TABLE rating_change DROP CONSTRAINT rating_change_fixtures_check;  -- What is taken back is taken from the count.
DROP INDEX rating_change_once;
CREATE UNIQUE INDEX rating_change_once ON rating_change (tournament_id, round_no, version_id, pass)
    WHERE reason = 'round';

-- Live bots that have not dialled in.
CREATE VIEW missing_entrant AS
    SELECT tournament_id, entrant_no, version_id
      FROM entrant JOIN bot_version v USING (version_id)
     WHERE NOT hosted AND NOT EXISTS (SELECT FROM presence p WHERE p.version_id = v.version_id);
CREATE INDEX fixture_waits ON fixture (fixture_id) WHERE waits_since IS NOT NULL;

GRANT SELECT ON missing_entrant TO arena_worker, arena_dashboard;
GRANT UPDATE (absent, waits_since) ON fixture TO arena_worker;
GRANT UPDATE (deadline) ON round TO arena_worker;
GRANT UPDATE (watched_at) ON tournament TO arena_worker;
