-- What the server sends and takes by itself: deliveries of webhooks, and identities of CI jobs that were used.

CREATE TABLE webhook_delivery (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    status BIGINT,
    error TEXT NOT NULL,
    created BIGINT NOT NULL,
    finished BIGINT,
    UNIQUE (webhook_id, seq, created)
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (state, next_at);

-- The digest of an identity that was exchanged, until it would have ended anyway.
CREATE TABLE used_identity (
    hash TEXT PRIMARY KEY,
    expires BIGINT NOT NULL
);
