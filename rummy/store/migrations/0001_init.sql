-- The whole store. PostgreSQL 15 or newer. Roles belong to the cluster, so another database may have made them already.

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['arena_arbiter', 'arena_worker', 'arena_dashboard'] LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', name);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END LOOP;
END $$;


-- Who answers for a bot, and the bots.

CREATE TABLE owner (
    owner_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL UNIQUE CHECK (octet_length(name) BETWEEN 1 AND 256),
    created_at timestamptz NOT NULL
);

CREATE TABLE package (
    digest  bytea PRIMARY KEY,
    content bytea NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 20000000),
    CHECK (digest = sha256(content))
);
ALTER TABLE package ALTER COLUMN content SET STORAGE EXTERNAL;  -- A zip does not get smaller.

CREATE TABLE bot (
    bot_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_id   bigint NOT NULL REFERENCES owner,
    name       text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 256),
    created_at timestamptz NOT NULL,
    UNIQUE (owner_id, name)
);

CREATE TABLE bot_version (
    version_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bot_id     bigint NOT NULL REFERENCES bot,
    version    text NOT NULL CHECK (octet_length(version) BETWEEN 1 AND 64),
    language   text NOT NULL CHECK (octet_length(language) <= 64),
    entry      text CHECK (octet_length(entry) BETWEEN 1 AND 256),
    hosted     boolean NOT NULL,
    package    bytea REFERENCES package,
    state      text NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'retired')),
    games      text[] NOT NULL CHECK (cardinality(games) >= 1),
    created_at timestamptz NOT NULL,
    UNIQUE (bot_id, version),
    CHECK (hosted = (package IS NOT NULL)),
    CHECK (hosted = (entry IS NOT NULL))
);

-- Only digests of tokens are kept. A token of a version is what a live bot dials in with.
CREATE TABLE token (
    token_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest     bytea NOT NULL UNIQUE CHECK (octet_length(digest) = 32),
    owner_id   bigint NOT NULL REFERENCES owner,
    version_id bigint REFERENCES bot_version,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX token_owner ON token (owner_id);


-- Arbiters, and the bots that have dialled in.

CREATE TABLE arbiter (
    arbiter_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    address      text NOT NULL UNIQUE,
    bots_address text NOT NULL,
    incarnation  text NOT NULL,
    load         integer NOT NULL DEFAULT 0 CHECK (load >= 0),
    last_seen    timestamptz NOT NULL
);

CREATE TABLE presence (
    version_id bigint NOT NULL REFERENCES bot_version,
    arbiter_id bigint NOT NULL REFERENCES arbiter ON DELETE CASCADE,
    lane       integer NOT NULL CHECK (lane BETWEEN 0 AND 63),
    since      timestamptz NOT NULL,
    PRIMARY KEY (version_id, arbiter_id, lane)
);
CREATE INDEX presence_arbiter ON presence (arbiter_id);


-- Tournaments.

CREATE TABLE tournament (
    tournament_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 256),
    game          text NOT NULL,
    options       jsonb NOT NULL CHECK (jsonb_typeof(options) = 'object'),  -- What differs from the defaults.
    ladder        text NOT NULL,
    format        text NOT NULL CHECK (format IN ('round_robin')),
    table_size    integer NOT NULL CHECK (table_size BETWEEN 2 AND 6),
    cycles        integer NOT NULL CHECK (cycles BETWEEN 1 AND 100000),
    limit_ms      integer NOT NULL CHECK (limit_ms BETWEEN 1 AND 600000),
    bank_ms       integer NOT NULL CHECK (bank_ms BETWEEN 0 AND 3600000),
    faults        jsonb NOT NULL CHECK (jsonb_typeof(faults) = 'object'),
    commitment    bytea NOT NULL CHECK (octet_length(commitment) = 32),
    rated         boolean NOT NULL,
    state         text NOT NULL CHECK (state IN ('draft', 'open', 'running', 'paused', 'finished', 'cancelled')),
    created_at    timestamptz NOT NULL,
    started_at    timestamptz,
    finished_at   timestamptz,
    CHECK (state NOT IN ('running', 'paused', 'finished') OR started_at IS NOT NULL),
    CHECK ((state IN ('finished', 'cancelled')) = (finished_at IS NOT NULL))
);
CREATE INDEX tournament_order ON tournament (ladder, started_at, tournament_id) WHERE rated;
CREATE INDEX tournament_live ON tournament (tournament_id) WHERE state = 'running';

CREATE TABLE tournament_seed (
    tournament_id bigint PRIMARY KEY REFERENCES tournament,
    master        bytea NOT NULL CHECK (octet_length(master) = 32)
);

CREATE VIEW revealed_seed WITH (security_barrier) AS
    SELECT tournament_id, master
      FROM tournament JOIN tournament_seed USING (tournament_id)
     WHERE state IN ('finished', 'cancelled');

CREATE TABLE entrant (
    tournament_id bigint NOT NULL REFERENCES tournament,
    entrant_no    integer NOT NULL CHECK (entrant_no >= 0),
    version_id    bigint NOT NULL REFERENCES bot_version,
    nonce         bytea NOT NULL CHECK (octet_length(nonce) BETWEEN 1 AND 64),
    PRIMARY KEY (tournament_id, entrant_no),
    UNIQUE (tournament_id, version_id)
);
CREATE INDEX entrant_version ON entrant (version_id);

CREATE TABLE round (
    tournament_id bigint NOT NULL REFERENCES tournament,
    round_no      integer NOT NULL CHECK (round_no >= 0),
    closed_at     timestamptz,
    rated_at      timestamptz CHECK (rated_at IS NULL OR closed_at IS NOT NULL),
    PRIMARY KEY (tournament_id, round_no)
);
CREATE INDEX round_open ON round (tournament_id, round_no) WHERE closed_at IS NULL;
CREATE INDEX round_unrated ON round (tournament_id, round_no) WHERE rated_at IS NULL;

-- `due_at`: not to be played before. `woken_at`: when it was last put on the broker. `arbiter`, `incarnation`: who has been
-- given the order in this generation; without an incarnation nobody has.
CREATE TABLE fixture (
    fixture_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tournament_id bigint NOT NULL,
    round_no      integer NOT NULL,
    table_no      integer NOT NULL CHECK (table_no >= 0),
    generation    integer NOT NULL DEFAULT 0 CHECK (generation >= 0),
    attempt       integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    state         text NOT NULL DEFAULT 'scheduled' CHECK (state IN ('scheduled', 'running', 'done')),
    holder        text,
    lease_until   timestamptz,
    arbiter       bigint REFERENCES arbiter ON DELETE SET NULL,
    incarnation   text,
    due_at        timestamptz NOT NULL,
    woken_at      timestamptz,
    done_at       timestamptz,
    UNIQUE (tournament_id, round_no, table_no),
    UNIQUE (fixture_id, tournament_id),
    FOREIGN KEY (tournament_id, round_no) REFERENCES round,
    CHECK ((state = 'running') = (holder IS NOT NULL)),
    CHECK ((state = 'running') = (lease_until IS NOT NULL)),
    CHECK ((state = 'done') = (done_at IS NOT NULL)),
    CHECK (state = 'scheduled' OR attempt > 0)
);
CREATE INDEX fixture_todo ON fixture (round_no, tournament_id, table_no) WHERE state <> 'done';
CREATE INDEX fixture_todo_of ON fixture (tournament_id, round_no) WHERE state <> 'done';
CREATE INDEX fixture_holder ON fixture (holder) WHERE state = 'running';
CREATE INDEX fixture_arbiter ON fixture (arbiter) WHERE arbiter IS NOT NULL;

-- `seat` is the seat in leg 0; in leg k its entrant sits in seat (seat - k) modulo the number of seats.
CREATE TABLE fixture_seat (
    fixture_id    bigint NOT NULL,
    tournament_id bigint NOT NULL,
    seat          integer NOT NULL CHECK (seat BETWEEN 0 AND 5),
    entrant_no    integer NOT NULL,
    PRIMARY KEY (fixture_id, seat),
    UNIQUE (fixture_id, entrant_no),
    FOREIGN KEY (fixture_id, tournament_id) REFERENCES fixture (fixture_id, tournament_id),
    FOREIGN KEY (tournament_id, entrant_no) REFERENCES entrant
);
CREATE INDEX fixture_seat_entrant ON fixture_seat (tournament_id, entrant_no, fixture_id);

CREATE TABLE fixture_attempt (
    fixture_id bigint NOT NULL REFERENCES fixture,
    generation integer NOT NULL,
    attempt    integer NOT NULL CHECK (attempt > 0),
    holder     text NOT NULL,
    claimed_at timestamptz NOT NULL,
    ended_at   timestamptz,
    outcome    text CHECK (outcome IN ('done', 'released', 'void', 'expired')),
    reason     text NOT NULL DEFAULT '',
    PRIMARY KEY (fixture_id, attempt),
    CHECK ((ended_at IS NULL) = (outcome IS NULL))
);


-- What was played.

CREATE TABLE match (
    match_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    fixture_id bigint NOT NULL REFERENCES fixture,
    generation integer NOT NULL CHECK (generation >= 0),
    leg        integer NOT NULL CHECK (leg BETWEEN 0 AND 5),
    reason     text NOT NULL,
    deals      integer NOT NULL CHECK (deals >= 0),
    actions    integer NOT NULL CHECK (actions >= 0),
    replay     bytea NOT NULL CHECK (octet_length(replay) > 1),  -- One byte for the format, then the data.
    digest     bytea NOT NULL CHECK (octet_length(digest) = 32),
    saved_at   timestamptz NOT NULL,
    UNIQUE (fixture_id, generation, leg),
    UNIQUE (match_id, fixture_id)
);
ALTER TABLE match ALTER COLUMN replay SET STORAGE EXTERNAL;

CREATE TABLE seat_result (
    match_id   bigint NOT NULL,
    fixture_id bigint NOT NULL,
    seat       integer NOT NULL CHECK (seat BETWEEN 0 AND 5),
    entrant_no integer NOT NULL,
    placement  integer NOT NULL CHECK (placement BETWEEN 1 AND 6),
    score      integer NOT NULL,
    forfeit    text CHECK (forfeit IN
               ('illegal', 'timeout', 'disconnected', 'crashed', 'resources', 'protocol', 'never started')),
    strikes    integer NOT NULL CHECK (strikes >= 0),
    PRIMARY KEY (match_id, seat),
    UNIQUE (match_id, entrant_no),
    FOREIGN KEY (match_id, fixture_id) REFERENCES match (match_id, fixture_id),
    FOREIGN KEY (fixture_id, entrant_no) REFERENCES fixture_seat (fixture_id, entrant_no)
);
CREATE INDEX seat_result_fixture ON seat_result (fixture_id);

CREATE TABLE fixture_score (
    fixture_id bigint NOT NULL,
    entrant_no integer NOT NULL,
    score      double precision NOT NULL CHECK (score BETWEEN 0 AND 1),
    PRIMARY KEY (fixture_id, entrant_no),
    FOREIGN KEY (fixture_id, entrant_no) REFERENCES fixture_seat (fixture_id, entrant_no)
);

-- The log of all ratings, in the order in which they were made. The newest line of a version in a ladder is its rating.
CREATE TABLE rating_change (
    change_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ladder        text NOT NULL,
    tournament_id bigint NOT NULL,
    round_no      integer NOT NULL,
    version_id    bigint NOT NULL REFERENCES bot_version,
    before        double precision NOT NULL,
    after         double precision NOT NULL,
    fixtures      integer NOT NULL CHECK (fixtures >= 0),
    reason        text NOT NULL CHECK (reason <> ''),
    FOREIGN KEY (tournament_id, round_no) REFERENCES round,
    CHECK (before BETWEEN -100000 AND 100000 AND after BETWEEN -100000 AND 100000)
);
CREATE UNIQUE INDEX rating_change_once ON rating_change (tournament_id, round_no, version_id) WHERE reason = 'round';
CREATE INDEX rating_change_newest ON rating_change (ladder, version_id, change_id DESC);
CREATE INDEX rating_change_version ON rating_change (version_id, change_id);


-- Whoever listens on channel arena learns what has moved: a kind and ids, never content.

CREATE FUNCTION tell_tournament() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('arena', json_build_object(
        'kind', 'tournament', 'tournament', NEW.tournament_id, 'state', NEW.state)::text);
    RETURN NULL;
END $$;
CREATE TRIGGER tell_insert AFTER INSERT ON tournament FOR EACH ROW EXECUTE FUNCTION tell_tournament();
CREATE TRIGGER tell_update AFTER UPDATE ON tournament FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION tell_tournament();

CREATE FUNCTION tell_fixture() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('arena', json_build_object(
        'kind', 'fixture', 'tournament', NEW.tournament_id, 'fixture', NEW.fixture_id, 'state', NEW.state)::text);
    RETURN NULL;
END $$;
CREATE TRIGGER tell_update AFTER UPDATE ON fixture FOR EACH ROW
    WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION tell_fixture();

CREATE FUNCTION tell_round() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('arena', json_build_object(
        'kind', 'round', 'tournament', NEW.tournament_id, 'round', NEW.round_no)::text);
    RETURN NULL;
END $$;
CREATE TRIGGER tell_update AFTER UPDATE ON round FOR EACH ROW EXECUTE FUNCTION tell_round();

CREATE FUNCTION tell_bot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('arena', json_build_object(
        'kind', 'bot', 'version', COALESCE(NEW.version_id, OLD.version_id))::text);
    RETURN NULL;
END $$;
CREATE TRIGGER tell_insert AFTER INSERT OR UPDATE ON bot_version FOR EACH ROW EXECUTE FUNCTION tell_bot();
CREATE TRIGGER tell_presence AFTER INSERT OR DELETE ON presence FOR EACH ROW EXECUTE FUNCTION tell_bot();


-- Each service may do what it does, and no more.

GRANT SELECT ON owner, bot, bot_version, package, token, arbiter, presence TO arena_arbiter;
GRANT INSERT ON bot, bot_version, package, token, arbiter, presence TO arena_arbiter;
GRANT UPDATE (revoked_at) ON token TO arena_arbiter;
GRANT UPDATE, DELETE ON arbiter, presence TO arena_arbiter;

GRANT SELECT ON owner, bot, bot_version, arbiter, presence, tournament, tournament_seed, entrant, round, fixture,
    fixture_seat, fixture_attempt, match, seat_result, fixture_score, rating_change TO arena_worker;
GRANT UPDATE (generation, attempt, state, holder, lease_until, arbiter, incarnation, due_at, woken_at, done_at)
    ON fixture TO arena_worker;
GRANT UPDATE (ended_at, outcome, reason) ON fixture_attempt TO arena_worker;
GRANT UPDATE (closed_at, rated_at) ON round TO arena_worker;
GRANT UPDATE (state, finished_at) ON tournament TO arena_worker;
GRANT INSERT ON fixture_attempt, match, seat_result, fixture_score, rating_change TO arena_worker;

GRANT SELECT ON owner, bot, bot_version, arbiter, presence, tournament, revealed_seed, entrant, round, fixture,
    fixture_seat, fixture_attempt, match, seat_result, fixture_score, rating_change TO arena_dashboard;
