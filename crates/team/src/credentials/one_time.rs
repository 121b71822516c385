//! Secrets that are used once: what is kept under one, and the link of the first administrator.

use crate::{
    actor::{Role, join},
    db::args,
    error::TeamError,
    id::{hash, new_id, new_secret},
    log::Note,
    people::{LOCAL, User},
    permission::Scope,
    team::{FIRST_ORG, Team},
};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

/// How long a link for the first administrator can be used.
const LINK: i64 = 24 * 3_600 * 1_000;

impl Team {
    /// Keeps something under a secret that can be taken once, within a time.
    pub async fn keep_once(
        &self,
        purpose: &str,
        secret: &SecretString,
        data: &str,
        millis: i64,
    ) -> Result<(), TeamError> {
        let now = self.now();
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM one_time WHERE expires < $1", args![now]).await?;
        tx.run(
            "INSERT INTO one_time (hash, purpose, user_id, data, expires) VALUES ($1, $2, '', $3, $4)",
            args![hash(secret.expose_secret()), purpose, data, now + millis],
        )
        .await?;
        tx.commit().await
    }

    /// Takes what was kept under a secret; a second call finds nothing.
    pub async fn take_once(&self, purpose: &str, secret: &str) -> Result<Option<String>, TeamError> {
        let mut tx = self.db.begin().await?;
        let found = tx
            .maybe(
                "SELECT data FROM one_time WHERE hash = $1 AND purpose = $2 AND expires > $3",
                args![hash(secret), purpose, self.now()],
            )
            .await?;
        let taken = tx
            .run("DELETE FROM one_time WHERE hash = $1 AND purpose = $2", args![hash(secret), purpose])
            .await?;
        tx.commit().await?;
        found.filter(|_| taken == 1).map(|row| row.text(0)).transpose()
    }

    /// The user of this machine: the first administrator that was made here, who is created when there is none.
    pub async fn local_admin(&self) -> Result<User, TeamError> {
        let row = self
            .db
            .maybe(
                "SELECT id FROM user_account WHERE issuer = $1 AND state = 'active' AND roles LIKE '%site-admin%' \
                 ORDER BY created, id LIMIT 1",
                args![LOCAL],
            )
            .await?;
        match row {
            Some(row) => self.user(&row.text(0)?).await,
            None => {
                let link = self.first_admin_link().await?;
                self.use_first_admin_link(link.expose_secret()).await
            }
        }
    }

    /// Whether no administrator exists yet.
    pub async fn needs_first_admin(&self) -> Result<bool, TeamError> {
        let row = self
            .db
            .maybe("SELECT 1 FROM user_account WHERE roles LIKE '%site-admin%' AND seen > 0 LIMIT 1", args![])
            .await?;
        Ok(row.is_none())
    }

    /// A secret that makes its holder the first administrator, once.
    pub async fn first_admin_link(&self) -> Result<SecretString, TeamError> {
        let secret = new_secret()?;
        let now = self.now();
        let mut tx = self.db.begin().await?;
        tx.run("DELETE FROM one_time WHERE purpose = 'first-admin'", args![]).await?;
        tx.run(
            "INSERT INTO one_time (hash, purpose, user_id, data, expires) VALUES ($1, 'first-admin', '', '', $2)",
            args![hash(secret.expose_secret()), now + LINK],
        )
        .await?;
        tx.commit().await?;
        Ok(secret)
    }

    /// Uses the link of the first administrator; returns the new user.
    pub async fn use_first_admin_link(&self, secret: &str) -> Result<User, TeamError> {
        let now = self.now();
        let mut tx = self.db.begin().await?;
        let used = tx
            .run(
                "DELETE FROM one_time WHERE hash = $1 AND purpose = 'first-admin' AND expires > $2",
                args![hash(secret), now],
            )
            .await?;
        if used != 1 {
            return Err(TeamError::Unauthenticated(
                "the link was used or has expired; until there is an administrator, each start of `skillful serve` prints a new \
                 one, afterwards `skillful serve --open` on the machine of the server does"
                    .to_owned(),
            ));
        }
        let id = new_id("user")?;
        let roles = join([Role::OrgAdmin, Role::SiteAdmin]);
        tx.run(
            "INSERT INTO user_account (id, org, issuer, sub, email, name, roles, state, created, seen) \
             VALUES ($1, $2, $3, $4, '', 'Administrator', $5, 'active', $6, $6)",
            args![&id, FIRST_ORG, LOCAL, &id, &roles, now],
        )
        .await?;
        let note = Note {
            org: FIRST_ORG,
            action: "user.first-admin",
            subject: &id,
            scope: &Scope::Own(id.clone()),
            before: Value::Null,
            after: json!({ "roles": roles }),
        };
        self.finish(tx, &id, &[note]).await?;
        self.user(&id).await
    }
}
