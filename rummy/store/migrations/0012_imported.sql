-- Tournaments that another arena has played. Each is over, and in a ladder of its own: it moves no rating here.
-- `imported_bots`: who has entered, by number, as that arena knows them: version_id, owner, bot, version, and so on.
ALTER TABLE tournament
    ADD COLUMN imported_at timestamptz,
    ADD COLUMN imported_bots jsonb CHECK (jsonb_typeof(imported_bots) = 'array'),
    ADD CONSTRAINT tournament_imported_with_bots CHECK ((imported_at IS NULL) = (imported_bots IS NULL)),
    ADD CONSTRAINT tournament_imported_is_over CHECK (imported_at IS NULL OR state IN ('finished', 'cancelled'));
CREATE UNIQUE INDEX tournament_imported_once ON tournament (ladder) WHERE imported_at IS NOT NULL;

-- Their bots belong to owners of their own, for whom there is no token. What is retired may be without its package.
ALTER TABLE owner ADD COLUMN imported boolean NOT NULL DEFAULT false;
ALTER TABLE owner DROP CONSTRAINT owner_name_check;
ALTER TABLE owner ADD CONSTRAINT owner_name_check
    CHECK (octet_length(name) BETWEEN 1 AND 256 OR imported AND octet_length(name) BETWEEN 1 AND 300);
ALTER TABLE bot_version DROP CONSTRAINT bot_version_check, DROP CONSTRAINT bot_version_check1;
ALTER TABLE bot_version
    ADD CONSTRAINT bot_version_package CHECK (hosted = (package IS NOT NULL) OR state = 'retired' AND package IS NULL),
    ADD CONSTRAINT bot_version_entry CHECK (hosted = (entry IS NOT NULL) OR state = 'retired' AND entry IS NULL);
