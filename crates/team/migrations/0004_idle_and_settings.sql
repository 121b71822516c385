-- Skills that are kept although they are not used, and when one was archived because it was not used.
CREATE TABLE skill_idle (
    skill_id TEXT PRIMARY KEY REFERENCES skill (id) ON DELETE CASCADE,
    kept BIGINT NOT NULL,
    archived BIGINT
);

-- Settings that clients of a user keep here: one JSON object for each section.
CREATE TABLE user_setting (
    user_id TEXT NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
    section TEXT NOT NULL,
    setting TEXT NOT NULL,
    updated BIGINT NOT NULL,
    PRIMARY KEY (user_id, section)
);
