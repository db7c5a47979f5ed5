-- Reference bots play the deals of a fixture that were played once, when its result is final. Until they are done, or have
-- been given up, nothing of these deals is shown.

CREATE TABLE reference (
    fixture_id  bigint NOT NULL REFERENCES fixture,
    generation  integer NOT NULL CHECK (generation >= 0),
    state       text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'running', 'done', 'given up')),
    attempt     integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    holder      text,
    lease_until timestamptz,
    reason      text NOT NULL DEFAULT '',  -- Why it was given up.
    bots        text,                      -- Which reference bots, with their versions.
    control     double precision[],        -- Their mean score by seat of leg 0.
    due_at      timestamptz NOT NULL,
    ended_at    timestamptz,
    PRIMARY KEY (fixture_id, generation),
    CHECK ((state = 'running') = (holder IS NOT NULL)),
    CHECK ((state = 'running') = (lease_until IS NOT NULL)),
    CHECK ((state IN ('done', 'given up')) = (ended_at IS NOT NULL)),
    CHECK ((state = 'done') = (control IS NOT NULL)),
    CHECK ((state = 'done') = (bots IS NOT NULL)),
    CHECK ((state = 'given up') = (reason <> ''))
);
CREATE INDEX reference_todo ON reference (due_at) WHERE ended_at IS NULL;
CREATE INDEX reference_ended ON reference (ended_at) WHERE ended_at IS NOT NULL;

-- All that is shown of an ended tournament waits for the last use of its deals.
CREATE OR REPLACE VIEW revealed_seed WITH (security_barrier) AS
    SELECT tournament_id, master
      FROM tournament t JOIN tournament_seed USING (tournament_id)
     WHERE state IN ('finished', 'cancelled')
       AND NOT EXISTS (SELECT FROM reference r JOIN fixture f USING (fixture_id)
                        WHERE f.tournament_id = t.tournament_id AND r.ended_at IS NULL);

CREATE FUNCTION tell_reference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('arena', json_build_object(
        'kind', 'fixture', 'tournament', f.tournament_id, 'fixture', f.fixture_id)::text)
       FROM fixture f WHERE f.fixture_id = NEW.fixture_id;
    RETURN NULL;
END $$;
CREATE TRIGGER tell_update AFTER UPDATE ON reference FOR EACH ROW
    WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at) EXECUTE FUNCTION tell_reference();

GRANT SELECT, INSERT ON reference TO arena_worker;
GRANT UPDATE (state, attempt, holder, lease_until, reason, bots, control, ended_at) ON reference TO arena_worker;
GRANT SELECT ON reference TO arena_dashboard;
