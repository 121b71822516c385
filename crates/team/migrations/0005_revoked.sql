-- Files that were revoked, by the place where that was. A row stays when its skill is deleted or moved, so that the files do not
-- come back and clients that still have them learn of it. No request removes one.
CREATE TABLE revoked_tree (
    tree TEXT NOT NULL,
    skill_id TEXT NOT NULL,
    org TEXT NOT NULL,
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    number BIGINT NOT NULL,
    reason TEXT NOT NULL,
    published BIGINT NOT NULL,
    PRIMARY KEY (tree, skill_id, scope, owner)
);

INSERT INTO revoked_tree (tree, skill_id, org, scope, owner, name, number, reason, published)
SELECT v.tree, s.id, s.org, s.scope, s.owner, s.name, v.number, v.reason, s.published
FROM skill_version v JOIN skill s ON s.id = v.skill_id WHERE v.state = 'revoked'
ON CONFLICT (tree, skill_id, scope, owner) DO NOTHING;

-- An older release that works on this schema revokes, moves and deletes without knowing the table: the database keeps the rows.
-- only SQLite
CREATE TRIGGER version_revoked AFTER UPDATE OF state ON skill_version WHEN NEW.state = 'revoked' BEGIN
    INSERT INTO revoked_tree (tree, skill_id, org, scope, owner, name, number, reason, published)
    SELECT NEW.tree, s.id, s.org, s.scope, s.owner, s.name, NEW.number, NEW.reason, s.published
    FROM skill s WHERE s.id = NEW.skill_id
    ON CONFLICT (tree, skill_id, scope, owner) DO NOTHING;
END;

CREATE TRIGGER revoked_moved AFTER UPDATE OF scope, owner ON skill BEGIN
    INSERT INTO revoked_tree (tree, skill_id, org, scope, owner, name, number, reason, published)
    SELECT v.tree, NEW.id, NEW.org, NEW.scope, NEW.owner, NEW.name, v.number, v.reason, NEW.published
    FROM skill_version v WHERE v.skill_id = NEW.id AND v.state = 'revoked'
    ON CONFLICT (tree, skill_id, scope, owner) DO NOTHING;
END;
-- only PostgreSQL
CREATE FUNCTION keep_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO revoked_tree (tree, skill_id, org, scope, owner, name, number, reason, published)
    SELECT v.tree, s.id, s.org, s.scope, s.owner, s.name, v.number, v.reason, s.published
    FROM skill_version v JOIN skill s ON s.id = v.skill_id
    WHERE v.state = 'revoked' AND s.id = to_jsonb(NEW) ->> TG_ARGV[0]
    ON CONFLICT (tree, skill_id, scope, owner) DO NOTHING;
    RETURN NULL;
END;
$$;

CREATE TRIGGER version_revoked AFTER UPDATE OF state ON skill_version
    FOR EACH ROW WHEN (NEW.state = 'revoked') EXECUTE FUNCTION keep_revoked('skill_id');

CREATE TRIGGER revoked_moved AFTER UPDATE OF scope, owner ON skill
    FOR EACH ROW EXECUTE FUNCTION keep_revoked('id');
