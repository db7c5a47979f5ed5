-- One against the field. A constraint of a column is called after table and column.
ALTER TABLE tournament DROP CONSTRAINT tournament_format_check;
ALTER TABLE tournament ADD CONSTRAINT tournament_format_check CHECK (format IN ('round_robin', 'gauntlet'));
