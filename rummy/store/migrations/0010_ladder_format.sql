-- Mostly with those who are ranked close.
ALTER TABLE tournament DROP CONSTRAINT tournament_format_check;
ALTER TABLE tournament ADD CONSTRAINT tournament_format_check
    CHECK (format IN ('round_robin', 'gauntlet', 'swiss', 'knockout', 'ladder'));
