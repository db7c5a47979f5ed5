-- Formats that draw a round from the results of those before, and long schedules that are saved in batches.
-- `drawn`: every round is saved. `planned`: fixtures in all, as far as known. `ranking`: from 0, settled at the start.
ALTER TABLE tournament DROP CONSTRAINT tournament_format_check;
ALTER TABLE tournament ADD CONSTRAINT tournament_format_check
    CHECK (format IN ('round_robin', 'gauntlet', 'swiss', 'knockout'));
ALTER TABLE tournament
    ADD COLUMN format_options jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(format_options) = 'object'),
    ADD COLUMN drawn boolean NOT NULL DEFAULT false,
    ADD COLUMN planned integer CHECK (planned >= 0);
UPDATE tournament t
   SET drawn = true, planned = (SELECT count(*) FROM fixture f WHERE f.tournament_id = t.tournament_id)
 WHERE started_at IS NOT NULL;
CREATE INDEX tournament_undrawn ON tournament (ladder) WHERE NOT drawn AND state IN ('running', 'paused');

ALTER TABLE entrant ADD COLUMN ranking integer CHECK (ranking >= 0);

GRANT INSERT ON round, fixture, fixture_seat TO arena_worker;
GRANT UPDATE (drawn, planned) ON tournament TO arena_worker;
