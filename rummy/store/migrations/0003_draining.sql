-- An arbiter that is about to end plays what it has and is given nothing new.
ALTER TABLE arbiter ADD COLUMN draining boolean NOT NULL DEFAULT false;
