-- What pages read stays small however much is played.

-- The newest rating of each version in each ladder, and the fixtures behind it: what the log of ratings comes to.
CREATE TABLE rating (
    ladder        text NOT NULL,
    version_id    bigint NOT NULL REFERENCES bot_version,
    change_id     bigint NOT NULL REFERENCES rating_change,
    tournament_id bigint NOT NULL REFERENCES tournament,
    rating        double precision NOT NULL,
    fixtures      bigint NOT NULL,
    PRIMARY KEY (ladder, version_id)
);
CREATE INDEX rating_order ON rating (ladder, rating DESC, version_id);
CREATE INDEX rating_version ON rating (version_id);

-- Nobody else writes it: it runs with the rights of who has made it.
CREATE FUNCTION note_rating() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
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

-- A log without what workers enter in the thousands; `rummy.store.log` asks with the same words.
CREATE INDEX tournament_log_told ON tournament_log (tournament_id, entry_no)
    WHERE move <> ALL (ARRAY['result', 'closed', 'rated', 'drawn']);

GRANT SELECT ON rating TO arena_worker, arena_dashboard;
GRANT UPDATE (saved) ON tournament TO arena_worker;
