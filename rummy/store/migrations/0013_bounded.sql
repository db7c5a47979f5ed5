-- What pages read stays small however much is played.

-- The newest rating of each version in each ladder, and the fixtures behind it: what the log of ratings comes to.
CREATE TABLE rating (
    ladder        text NOT NULL,
    version_id    bigint NOT NULL REFERENCES bot_version,
    change_id     bigint NOT NULL,
    tournament_id bigint NOT NULL REFERENCES tournament,
    rating        double precision NOT NULL,
    fixtures      bigint NOT NULL,
    PRIMARY KEY (ladder, version_id)
);
CREATE INDEX rating_order ON rating (ladder, rating DESC, version_id);
CREATE INDEX rating_version ON rating (version_id);

-- Nobody else writes it: it runs with the rights of who has made it. Temporary tables come last, or whoever inserts could put
-- one with triggers of his own in the place of `rating`.
CREATE FUNCTION note_rating() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO rating AS r (ladder, version_id, change_id, tournament_id, rating, fixtures)
    SELECT DISTINCT ON (ladder, version_id) ladder, version_id, change_id, tournament_id, after,
           sum(fixtures) OVER (PARTITION BY ladder, version_id)
      FROM added ORDER BY ladder, version_id, change_id DESC
        ON CONFLICT (ladder, version_id) DO UPDATE
       SET change_id = EXCLUDED.change_id, tournament_id = EXCLUDED.tournament_id, rating = EXCLUDED.rating,
           fixtures = r.fixtures + EXCLUDED.fixtures;
    RETURN NULL;
END $$;
CREATE TRIGGER note AFTER INSERT ON rating_change REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_rating();
ALTER TABLE rating_change ENABLE ALWAYS TRIGGER note;

INSERT INTO rating
SELECT DISTINCT ON (ladder, version_id) ladder, version_id, change_id, tournament_id, after,
       sum(fixtures) OVER (PARTITION BY ladder, version_id)
  FROM rating_change ORDER BY ladder, version_id, change_id DESC;

-- How many fixtures of a tournament are drawn and saved.
ALTER TABLE tournament ADD COLUMN saved integer NOT NULL DEFAULT 0 CHECK (saved >= 0);
UPDATE tournament t SET saved = f.fixtures
  FROM (SELECT tournament_id, count(*) AS fixtures FROM fixture GROUP BY tournament_id) f
 WHERE f.tournament_id = t.tournament_id;

-- Whose score it is: so the newest fixtures of a bot are found whatever tournaments it plays in.
ALTER TABLE fixture_score ADD COLUMN of_version bigint;
UPDATE fixture_score s SET of_version = e.version_id
  FROM fixture f JOIN entrant e USING (tournament_id)
 WHERE f.fixture_id = s.fixture_id AND e.entrant_no = s.entrant_no;
ALTER TABLE fixture_score ALTER COLUMN of_version SET NOT NULL, ADD FOREIGN KEY (of_version) REFERENCES bot_version;
CREATE INDEX fixture_score_newest ON fixture_score (of_version, (-fixture_id));

-- The newest steps of a version. No other index has this order: one in the order of all steps looks cheaper to the planner,
-- and for a version that has not played for long it is read from end to end.
DROP INDEX rating_change_version;
CREATE INDEX rating_change_steps ON rating_change (version_id, (-change_id));

-- Most fixtures are done soon after they are drawn, and the indexes of those that are not should not be full of them.
ALTER TABLE fixture SET (autovacuum_vacuum_scale_factor = 0.02);

-- A log without what workers enter in the thousands; `rummy.store.log` asks with the same words.
CREATE INDEX tournament_log_told ON tournament_log (tournament_id, entry_no)
    WHERE move <> ALL (ARRAY['result', 'closed', 'rated', 'drawn']);

GRANT SELECT ON rating TO arena_worker, arena_dashboard;
GRANT UPDATE (saved) ON tournament TO arena_worker;
