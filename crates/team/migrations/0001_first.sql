-- One text for SQLite and PostgreSQL: only TEXT and BIGINT, times in milliseconds since 1970, truth as 0 or 1, JSON as text.
-- Forward only: a later file adds; what an older release reads stays until two releases later.

CREATE TABLE org (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created BIGINT NOT NULL
);

CREATE TABLE user_account (
    id TEXT PRIMARY KEY,
    org TEXT NOT NULL REFERENCES org (id),
    issuer TEXT NOT NULL,
    sub TEXT NOT NULL,
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    roles TEXT NOT NULL,
    state TEXT NOT NULL,
    created BIGINT NOT NULL,
    seen BIGINT NOT NULL,
    UNIQUE (issuer, sub)
);
CREATE INDEX user_account_org ON user_account (org, created);

CREATE TABLE user_group (
    id TEXT PRIMARY KEY,
    org TEXT NOT NULL REFERENCES org (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    external_ref TEXT NOT NULL,
    created BIGINT NOT NULL,
    UNIQUE (org, name)
);

CREATE TABLE group_member (
    group_id TEXT NOT NULL REFERENCES user_group (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (group_id, user_id, source)
);
CREATE INDEX group_member_user ON group_member (user_id);

-- Browser sessions and one-time links, by the digest of their secret.
CREATE TABLE browser_session (
    hash TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    created BIGINT NOT NULL,
    seen BIGINT NOT NULL,
    expires BIGINT NOT NULL
);

CREATE TABLE one_time (
    hash TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    user_id TEXT NOT NULL,
    data TEXT NOT NULL,
    expires BIGINT NOT NULL
);

CREATE TABLE access_token (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    bound TEXT NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    used BIGINT,
    revoked BIGINT
);
CREATE INDEX access_token_user ON access_token (user_id, created);

-- CI identities that may publish without a token.
CREATE TABLE publisher (
    id TEXT PRIMARY KEY,
    org TEXT NOT NULL REFERENCES org (id),
    name TEXT NOT NULL,
    issuer TEXT NOT NULL,
    claims TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    bound TEXT NOT NULL,
    created BIGINT NOT NULL
);

CREATE TABLE skill (
    id TEXT PRIMARY KEY,
    org TEXT NOT NULL REFERENCES org (id),
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    state TEXT NOT NULL,
    default_version BIGINT,
    latest_version BIGINT NOT NULL,
    source TEXT NOT NULL,
    source_id TEXT NOT NULL,
    source_version TEXT NOT NULL,
    published BIGINT NOT NULL,
    listed BIGINT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    UNIQUE (org, scope, owner, name)
);
CREATE INDEX skill_list ON skill (org, scope, owner, created, id);
CREATE INDEX skill_created ON skill (created, id);

-- Names of deleted skills, so that another author does not get their users.
CREATE TABLE held_name (
    org TEXT NOT NULL,
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    PRIMARY KEY (org, scope, owner, name)
);

CREATE TABLE tree (
    digest TEXT PRIMARY KEY,
    bytes BIGINT NOT NULL,
    files TEXT NOT NULL,
    archive TEXT NOT NULL,
    created BIGINT NOT NULL
);

CREATE TABLE skill_version (
    id TEXT PRIMARY KEY,
    skill_id TEXT NOT NULL REFERENCES skill (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    semver TEXT NOT NULL,
    tree TEXT NOT NULL REFERENCES tree (digest),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    manifest TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    findings TEXT NOT NULL,
    verdict TEXT NOT NULL,
    notes TEXT NOT NULL,
    author TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    created BIGINT NOT NULL,
    UNIQUE (skill_id, number)
);
CREATE INDEX skill_version_tree ON skill_version (tree);

CREATE TABLE draft (
    id TEXT PRIMARY KEY,
    org TEXT NOT NULL REFERENCES org (id),
    author TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    skill_id TEXT NOT NULL,
    base BIGINT,
    name TEXT NOT NULL,
    files TEXT NOT NULL,
    revision BIGINT NOT NULL,
    created BIGINT NOT NULL,
    updated BIGINT NOT NULL
);
CREATE INDEX draft_author ON draft (author, updated);

CREATE TABLE proposal (
    id TEXT PRIMARY KEY,
    org TEXT NOT NULL REFERENCES org (id),
    skill_id TEXT NOT NULL REFERENCES skill (id) ON DELETE CASCADE,
    version BIGINT NOT NULL,
    tree TEXT NOT NULL,
    base BIGINT,
    state TEXT NOT NULL,
    author TEXT NOT NULL,
    note TEXT NOT NULL,
    created BIGINT NOT NULL,
    decided BIGINT
);
CREATE INDEX proposal_queue ON proposal (org, state, created);

CREATE TABLE decision (
    id TEXT PRIMARY KEY,
    proposal_id TEXT NOT NULL REFERENCES proposal (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    verdict TEXT NOT NULL,
    digest TEXT NOT NULL,
    note TEXT NOT NULL,
    waiver TEXT NOT NULL,
    waiver_until BIGINT,
    created BIGINT NOT NULL
);

CREATE TABLE review_comment (
    id TEXT PRIMARY KEY,
    proposal_id TEXT NOT NULL REFERENCES proposal (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    path TEXT NOT NULL,
    line BIGINT,
    body TEXT NOT NULL,
    created BIGINT NOT NULL
);
CREATE INDEX review_comment_of ON review_comment (proposal_id, created);

-- What the organisation, a group or a user wants of a skill. `target` is `org`, `group:ID` or `user:ID`.
CREATE TABLE preference (
    skill_id TEXT NOT NULL REFERENCES skill (id) ON DELETE CASCADE,
    target TEXT NOT NULL,
    choice TEXT NOT NULL,
    pin BIGINT,
    user_id TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (skill_id, target)
);
CREATE INDEX preference_target ON preference (target);

CREATE TABLE adoption (
    user_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    skill_id TEXT NOT NULL REFERENCES skill (id) ON DELETE CASCADE,
    created BIGINT NOT NULL,
    PRIMARY KEY (user_id, skill_id)
);

CREATE TABLE skill_source (
    id TEXT PRIMARY KEY,
    org TEXT NOT NULL REFERENCES org (id),
    label TEXT NOT NULL,
    address TEXT NOT NULL,
    reference TEXT NOT NULL,
    enabled BIGINT NOT NULL,
    resolved TEXT NOT NULL,
    error TEXT NOT NULL,
    checked BIGINT,
    created BIGINT NOT NULL,
    UNIQUE (org, label)
);

CREATE TABLE policy (
    org TEXT NOT NULL REFERENCES org (id),
    rule TEXT NOT NULL,
    setting TEXT NOT NULL,
    PRIMARY KEY (org, rule)
);

CREATE TABLE use_count (
    skill_id TEXT NOT NULL,
    org TEXT NOT NULL,
    version BIGINT NOT NULL,
    user_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    hour BIGINT NOT NULL,
    uses BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    PRIMARY KEY (skill_id, version, user_id, agent, hour)
);
CREATE INDEX use_count_time ON use_count (org, hour);

-- What changed, in the order of commits; every process and every client keeps in step by it.
CREATE TABLE change (
    seq BIGINT PRIMARY KEY,
    org TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    created BIGINT NOT NULL
);

CREATE TABLE audit_entry (
    seq BIGINT PRIMARY KEY,
    org TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    created BIGINT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX audit_entry_org ON audit_entry (org, seq);

CREATE TABLE webhook (
    id TEXT PRIMARY KEY,
    org TEXT NOT NULL REFERENCES org (id),
    address TEXT NOT NULL,
    kinds TEXT NOT NULL,
    secret TEXT NOT NULL,
    enabled BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    error TEXT NOT NULL,
    created BIGINT NOT NULL
);

-- Results of requests that a client may send again.
CREATE TABLE answered_request (
    actor TEXT NOT NULL,
    request TEXT NOT NULL,
    result TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (actor, request)
);

CREATE TABLE server_setting (
    key TEXT PRIMARY KEY,
    setting TEXT NOT NULL
);
