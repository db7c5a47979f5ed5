-- When the seed of a tournament was put into its log: once nothing more is played on its deals.
ALTER TABLE tournament ADD COLUMN revealed_at timestamptz;
UPDATE tournament SET revealed_at = finished_at;
CREATE INDEX tournament_unrevealed ON tournament (tournament_id) WHERE revealed_at IS NULL AND finished_at IS NOT NULL;

GRANT SELECT ON revealed_seed TO arena_worker;
GRANT UPDATE (revealed_at) ON tournament TO arena_worker;
