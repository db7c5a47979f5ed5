-- The log of each tournament: who did what, when and why. Entries are numbered without a gap, and each holds a digest over
-- itself and the one before, so that what is changed or missing shows. Number and digest are the database's own.
CREATE TABLE tournament_log (
    tournament_id bigint NOT NULL REFERENCES tournament,
    entry_no      integer NOT NULL CHECK (entry_no >= 0),
    at            timestamptz NOT NULL,
    who           text NOT NULL CHECK (octet_length(who) <= 300 AND who ~ '^(operator|worker|schedule|owner [^\n\r]+)$'),
    move          text NOT NULL CHECK (move ~ '^[a-z]{1,32}$'),
    why           text NOT NULL CHECK (octet_length(why) <= 2000 AND why !~ '[\n\r]'),
    what          json NOT NULL CHECK (json_typeof(what) = 'object'),  -- Kept as it was written.
    digest        bytea NOT NULL CHECK (octet_length(digest) = 32),
    PRIMARY KEY (tournament_id, entry_no)
);

CREATE FUNCTION chain_log() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last record;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('log ' || NEW.tournament_id, 0));
    SELECT entry_no, digest INTO last FROM tournament_log
     WHERE tournament_id = NEW.tournament_id ORDER BY entry_no DESC LIMIT 1;
    NEW.entry_no := coalesce(last.entry_no + 1, 0);
    NEW.digest := sha256(coalesce(last.digest, '') || convert_to(concat_ws(E'\n',
        NEW.entry_no, (extract(epoch FROM NEW.at) * 1000000)::bigint, NEW.who, NEW.move, NEW.why, NEW.what), 'UTF8'));
    RETURN NEW;
END $$;
CREATE TRIGGER chain BEFORE INSERT ON tournament_log FOR EACH ROW EXECUTE FUNCTION chain_log();

CREATE FUNCTION refuse_log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log of a tournament is only ever added to' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER refuse BEFORE UPDATE OR DELETE ON tournament_log FOR EACH ROW EXECUTE FUNCTION refuse_log_change();
ALTER TABLE tournament_log ENABLE ALWAYS TRIGGER chain;
ALTER TABLE tournament_log ENABLE ALWAYS TRIGGER refuse;
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON tournament_log EXECUTE FUNCTION refuse_log_change();

GRANT SELECT, INSERT ON tournament_log TO arena_worker;
GRANT SELECT ON tournament_log TO arena_dashboard;
