-- Leagues: seasons on a calendar, each with divisions, of which each is a tournament.
-- `plan`: the terms of those tournaments. `sizes`: of the divisions from the top; one more takes everybody else.
CREATE TABLE league (
    league_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 256),
    plan           jsonb NOT NULL CHECK (jsonb_typeof(plan) = 'object'),
    sizes          integer[] NOT NULL,
    moves          integer NOT NULL CHECK (moves >= 0),
    begins_at      timestamptz NOT NULL,
    every          interval NOT NULL CHECK (every > interval '0'),
    entry_window   interval NOT NULL CHECK (entry_window > settled_before AND entry_window <= every),
    settled_before interval NOT NULL CHECK (settled_before >= interval '0' AND settled_before < every),  -- The freeze.
    seasons        integer NOT NULL CHECK (seasons >= 0),  -- 0: without end.
    created_at     timestamptz NOT NULL,
    ended_at       timestamptz
);
CREATE INDEX league_live ON league (league_id) WHERE ended_at IS NULL;

-- Who came and left, and what organisers did; only ever added to. Who is in a league follows from it.
CREATE TABLE league_log (
    entry_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    league_id bigint NOT NULL REFERENCES league,
    bot_id    bigint REFERENCES bot,
    move      text NOT NULL CHECK (move IN ('created', 'entered', 'withdrawn', 'ended')),
    at        timestamptz NOT NULL,
    who       text NOT NULL CHECK (octet_length(who) BETWEEN 1 AND 300),
    why       text NOT NULL CHECK (octet_length(why) <= 2000),
    CHECK ((bot_id IS NOT NULL) = (move IN ('entered', 'withdrawn')))
);
CREATE INDEX league_log_order ON league_log (league_id, bot_id, at, entry_id);

CREATE FUNCTION refuse_league_log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log of a league is only ever added to' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER refuse BEFORE UPDATE OR DELETE ON league_log FOR EACH ROW EXECUTE FUNCTION refuse_league_log_change();

-- A season is here from its freeze on, when it is settled who plays where. One without divisions was not played.
CREATE TABLE season (
    league_id  bigint NOT NULL REFERENCES league,
    season_no  integer NOT NULL CHECK (season_no >= 0),
    frozen_at  timestamptz NOT NULL,
    started_at timestamptz,
    ended_at   timestamptz CHECK (ended_at IS NULL OR started_at IS NOT NULL),
    PRIMARY KEY (league_id, season_no)
);

ALTER TABLE tournament
    ADD COLUMN league_id bigint,
    ADD COLUMN season_no integer,
    ADD COLUMN division_no integer CHECK (division_no >= 0),
    ADD CONSTRAINT tournament_division UNIQUE (league_id, season_no, division_no),
    ADD CONSTRAINT tournament_season FOREIGN KEY (league_id, season_no) REFERENCES season,
    ADD CONSTRAINT tournament_of_league CHECK (num_nulls(league_id, season_no, division_no) IN (0, 3));

-- Entrants of a division are numbered in the order in which they stood when the season was settled. `final`: in which they
-- stand when it has ended, from 0; `place` in the table, shared by equals, or none where the tournament was cancelled.
CREATE TABLE season_place (
    league_id   bigint NOT NULL,
    season_no   integer NOT NULL,
    division_no integer NOT NULL,
    entrant_no  integer NOT NULL CHECK (entrant_no >= 0),
    bot_id      bigint NOT NULL REFERENCES bot,
    final       integer CHECK (final >= 0),
    place       integer CHECK (place >= 1),
    PRIMARY KEY (league_id, season_no, division_no, entrant_no),
    UNIQUE (league_id, season_no, bot_id),
    UNIQUE (league_id, season_no, division_no, final),
    FOREIGN KEY (league_id, season_no) REFERENCES season
);

CREATE FUNCTION tell_league() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('arena', json_build_object('kind', 'league', 'league', NEW.league_id)::text);
    RETURN NULL;
END $$;
CREATE TRIGGER tell AFTER INSERT ON league_log FOR EACH ROW EXECUTE FUNCTION tell_league();
CREATE TRIGGER tell AFTER INSERT OR UPDATE ON season FOR EACH ROW EXECUTE FUNCTION tell_league();

GRANT SELECT ON league, league_log, season, season_place TO arena_worker, arena_dashboard;
GRANT INSERT ON league_log, season, season_place, tournament, tournament_seed, entrant TO arena_worker;
GRANT UPDATE (ended_at) ON league TO arena_worker;
GRANT UPDATE (started_at, ended_at) ON season TO arena_worker;
GRANT UPDATE (final, place) ON season_place TO arena_worker;
GRANT UPDATE (started_at, league_id, season_no, division_no) ON tournament TO arena_worker;
GRANT UPDATE (ranking) ON entrant TO arena_worker;
