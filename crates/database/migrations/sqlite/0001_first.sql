-- Times are seconds since 1970, flags are 0 or 1, JSON is text that only the writer's crate parses.
CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    folder TEXT NOT NULL,
    title TEXT NOT NULL,
    parent TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    ended BIGINT NOT NULL DEFAULT 0,
    last_seq BIGINT NOT NULL DEFAULT 0,
    state TEXT
);
CREATE INDEX sessions_by_time ON sessions (updated);
CREATE INDEX sessions_by_folder ON sessions (folder, updated);
CREATE INDEX sessions_by_parent ON sessions (parent);

CREATE TABLE entries (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    json TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (session, seq)
);

-- A turn without an end was interrupted and does not count.
CREATE TABLE turns (
    id INTEGER NOT NULL PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    began BIGINT NOT NULL,
    ended BIGINT,
    message TEXT NOT NULL,
    roots TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX turns_by_session ON turns (session, id);

CREATE TABLE usage (
    id INTEGER NOT NULL PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn BIGINT REFERENCES turns (id) ON DELETE SET NULL,
    model TEXT NOT NULL,
    input BIGINT NOT NULL,
    output BIGINT NOT NULL,
    cached BIGINT NOT NULL,
    stored BIGINT NOT NULL,
    cost_micros BIGINT NOT NULL
);
CREATE INDEX usage_by_session ON usage (session);
CREATE INDEX usage_by_turn ON usage (turn);

-- Kept after sessions are removed, because the curator needs the number of uses for longer.
CREATE TABLE uses (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    session TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    at BIGINT NOT NULL
);
CREATE INDEX uses_by_name ON uses (name, at);
CREATE INDEX uses_by_session ON uses (session);

CREATE TABLE authored (
    name TEXT NOT NULL PRIMARY KEY,
    created BIGINT NOT NULL,
    last_used BIGINT,
    pinned BIGINT NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'active'
);

CREATE TABLE seen (
    person TEXT NOT NULL PRIMARY KEY,
    json TEXT NOT NULL
);

-- When each periodic chore last ran.
CREATE TABLE chores (
    name TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
);

CREATE VIEW session_infos AS
SELECT
    s.id,
    s.title,
    s.folder,
    s.parent,
    s.created,
    s.updated,
    s.ended,
    (SELECT COUNT(*) FROM turns t WHERE t.session = s.id AND t.ended IS NOT NULL) AS turns,
    (SELECT CAST(COALESCE(SUM(u.input), 0) AS BIGINT) FROM usage u WHERE u.session = s.id) AS input,
    (SELECT CAST(COALESCE(SUM(u.output), 0) AS BIGINT) FROM usage u WHERE u.session = s.id) AS output,
    (SELECT CAST(COALESCE(SUM(u.cached), 0) AS BIGINT) FROM usage u WHERE u.session = s.id) AS cached,
    (SELECT CAST(COALESCE(SUM(u.stored), 0) AS BIGINT) FROM usage u WHERE u.session = s.id) AS stored,
    (SELECT CAST(COALESCE(SUM(u.cost_micros), 0) AS BIGINT) FROM usage u WHERE u.session = s.id) AS cost_micros
FROM sessions s;

PRAGMA application_id = 1399548268;
PRAGMA user_version = 1;
