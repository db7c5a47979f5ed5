-- What each decision that is answered in time adds to the bank.
ALTER TABLE tournament ADD COLUMN increment_ms integer NOT NULL DEFAULT 0 CHECK (increment_ms BETWEEN 0 AND 60000);
