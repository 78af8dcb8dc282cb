CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE games (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    rulesheet TEXT NOT NULL,
    roles TEXT NOT NULL
) STRICT;
CREATE TABLE players (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL) STRICT;
CREATE TABLE matches (
    number INTEGER PRIMARY KEY,
    game INTEGER NOT NULL REFERENCES games,
    repetition INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'running', 'done')),
    id TEXT,
    started INTEGER,
    ended INTEGER,
    ending TEXT CHECK (ending IN ('terminal', 'stuck', 'too long')),
    record TEXT
) STRICT;
CREATE INDEX matches_by_state ON matches (state);
CREATE TABLE seats (
    match INTEGER NOT NULL REFERENCES matches,
    role INTEGER NOT NULL,
    player INTEGER REFERENCES players,
    goal INTEGER,
    illegal INTEGER NOT NULL DEFAULT 0,
    late INTEGER NOT NULL DEFAULT 0,
    missing INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (match, role)
) STRICT, WITHOUT ROWID;
CREATE TABLE steps (
    match INTEGER NOT NULL REFERENCES matches,
    step INTEGER NOT NULL,
    time INTEGER NOT NULL,
    moves TEXT,
    state TEXT NOT NULL,
    errors TEXT NOT NULL,
    notes TEXT NOT NULL,
    PRIMARY KEY (match, step)
) STRICT, WITHOUT ROWID;
