-- What each save of a draft held, so that a save in between can be merged line by line. The newest saves of a draft are kept.
CREATE TABLE draft_save (
    draft_id TEXT NOT NULL REFERENCES draft (id) ON DELETE CASCADE,
    revision BIGINT NOT NULL,
    files TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (draft_id, revision)
);
