//! Backup and restore: one file with every row, and the contents beside it. The file is the same whatever the database, so
//! that a team moves from SQLite to PostgreSQL by a backup and a restore.

use crate::{
    db::{Arg, Db, Tx, args},
    error::TeamError,
    log::Chain,
    objects::Objects,
    revocations::KEEP_REVOKED,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs::{DirBuilder, File, OpenOptions},
    io::{BufRead as _, BufReader, BufWriter, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
};

/// The name of the file with the rows.
pub const ROWS: &str = "rows.jsonl";
/// The name of the folder with the contents.
pub const CONTENTS: &str = "contents";
/// The form of the file.
const FORMAT: &str = "skillful-backup/1";

/// A table: how its rows are read and written. Browser sessions and one-time links are not kept.
struct Table {
    name: &'static str,
    read: &'static str,
    write: &'static str,
    /// `t` a text, `n` a number, for each column.
    kinds: &'static str,
}

macro_rules! tables {
    ($($name:literal ($columns:literal) $order:literal $values:literal $kinds:literal;)*) => {
        &[$(Table {
            name: $name,
            read: concat!("SELECT ", $columns, " FROM ", $name, " ORDER BY ", $order),
            write: concat!("INSERT INTO ", $name, " (", $columns, ") VALUES (", $values, ")"),
            kinds: $kinds,
        }),*]
    };
}

/// In an order in which every row finds what it names.
const TABLES: &[Table] = tables! {
    "org" ("id, name, created") "id" "$1, $2, $3" "ttn";
    "user_account" ("id, org, issuer, sub, email, name, roles, state, created, seen") "id"
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10" "ttttttttnn";
    "user_group" ("id, org, name, description, external_ref, created") "id" "$1, $2, $3, $4, $5, $6" "tttttn";
    "group_member" ("group_id, user_id, role, source") "group_id, user_id, source" "$1, $2, $3, $4" "tttt";
    "access_token" ("id, hash, user_id, name, scopes, bound, created, expires, used, revoked") "id"
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10" "ttttttnnnn";
    "publisher" ("id, org, name, issuer, claims, user_id, bound, created") "id" "$1, $2, $3, $4, $5, $6, $7, $8" "tttttttn";
    "skill" ("id, org, scope, owner, name, title, description, state, default_version, latest_version, source, source_id, source_version, published, listed, created, updated")
        "id" "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17" "ttttttttnntttnnnn";
    "held_name" ("org, scope, owner, name, held_until") "org, scope, owner, name" "$1, $2, $3, $4, $5" "ttttn";
    "tree" ("digest, bytes, files, archive, created") "digest" "$1, $2, $3, $4, $5" "tnttn";
    "skill_version" ("id, skill_id, number, epoch, semver, tree, name, description, manifest, capabilities, findings, verdict, notes, author, state, reason, created")
        "id" "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17" "ttnnttttttttttttn";
    "revoked_tree" ("tree, skill_id, org, scope, owner, name, number, reason, published") "tree, skill_id, scope, owner"
        "$1, $2, $3, $4, $5, $6, $7, $8, $9" "ttttttntn";
    "draft" ("id, org, author, skill_id, base, name, files, revision, created, updated") "id"
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10" "ttttnttnnn";
    "draft_save" ("draft_id, revision, files, created") "draft_id, revision" "$1, $2, $3, $4" "tntn";
    "proposal" ("id, org, skill_id, version, tree, base, state, author, note, created, decided") "id"
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11" "tttntntttnn";
    "decision" ("id, proposal_id, user_id, verdict, digest, note, waiver, waiver_until, created") "id"
        "$1, $2, $3, $4, $5, $6, $7, $8, $9" "tttttttnn";
    "review_comment" ("id, proposal_id, user_id, path, line, body, created") "id" "$1, $2, $3, $4, $5, $6, $7" "ttttntn";
    "preference" ("skill_id, target, choice, pin, user_id, created") "skill_id, target" "$1, $2, $3, $4, $5, $6" "tttntn";
    "skill_idle" ("skill_id, kept, archived") "skill_id" "$1, $2, $3" "tnn";
    "user_setting" ("user_id, section, setting, updated") "user_id, section" "$1, $2, $3, $4" "tttn";
    "adoption" ("user_id, skill_id, created") "user_id, skill_id" "$1, $2, $3" "ttn";
    "skill_source" ("id, org, label, address, reference, enabled, resolved, error, checked, created") "id"
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10" "tttttnttnn";
    "policy" ("org, rule, setting") "org, rule" "$1, $2, $3" "ttt";
    "use_count" ("skill_id, org, version, user_id, agent, hour, uses, failures") "skill_id, version, user_id, agent, hour"
        "$1, $2, $3, $4, $5, $6, $7, $8" "ttnttnnn";
    "change" ("seq, org, kind, subject, scope, owner, created") "seq" "$1, $2, $3, $4, $5, $6, $7" "ntttttn";
    "audit_entry" ("seq, org, actor, action, subject, before, after, created, previous, hash") "seq"
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10" "nttttttntt";
    "webhook" ("id, org, address, kinds, secret, enabled, last_seq, failures, error, created") "id"
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10" "tttttnnntn";
    "webhook_delivery" ("id, webhook_id, seq, kind, body, state, attempts, next_at, status, error, created, finished") "id"
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12" "ttntttnnntnn";
    "used_identity" ("hash, expires") "hash" "$1, $2" "tn";
    "server_setting" ("key, setting") "key" "$1, $2" "tt";
};

/// Tables whose rows live shortly and are not kept.
#[cfg(test)]
const NOT_KEPT: [&str; 4] = ["schema_version", "browser_session", "one_time", "answered_request"];

/// One line of the file.
#[derive(Deserialize, Serialize)]
struct Line {
    table: String,
    row: Vec<Value>,
}

/// What was kept or brought back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Rows.
    pub rows: u64,
    /// Skills' contents.
    pub trees: u64,
}

/// Writes everything into a new folder, as one moment of the database.
pub async fn backup(db: &Db, objects: &Objects, folder: &Path) -> Result<Kept, TeamError> {
    let failed = |error: std::io::Error| TeamError::Unavailable(format!("{}: {error}", folder.display()));
    // It holds personal skills, and secrets of webhooks and of users' settings.
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(folder.join(ROWS));
    let mut out = BufWriter::new(file.map_err(failed)?);
    let mut tx = db.begin().await?;
    if let Tx::Postgres(_) = tx {
        tx.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY", args![]).await?;
    }
    writeln!(out, "{}", serde_json::json!({ "format": FORMAT })).map_err(failed)?;
    let (mut kept, mut digests) = (Kept::default(), BTreeSet::new());
    for table in TABLES {
        for row in tx.all(table.read, args![]).await? {
            let mut values = Vec::new();
            for (at, kind) in table.kinds.chars().enumerate() {
                values.push(match kind {
                    't' => Value::from(row.text(at)?),
                    _ => Value::from(row.maybe_int(at)?),
                });
            }
            if table.name == "tree" {
                digests.extend(values[0].as_str().map(str::to_owned));
            }
            let line = Line { table: table.name.to_owned(), row: values };
            serde_json::to_writer(&mut out, &line).map_err(|error| failed(error.into()))?;
            out.write_all(b"\n").map_err(failed)?;
            kept.rows += 1;
        }
    }
    drop(tx);
    out.into_inner().map_err(|error| failed(error.into_error()))?.sync_all().map_err(failed)?;
    let beside = Objects::folder(&folder.join(CONTENTS))?;
    for digest in &digests {
        beside.put(&objects.get(digest).await?).await?;
        kept.trees += 1;
    }
    Ok(kept)
}

/// Brings a backup into an empty database, of either kind, and an object store. A backup that lacks contents or whose audit log is
/// broken leaves the database empty.
pub async fn restore(db: &Db, objects: &Objects, folder: &Path) -> Result<Kept, TeamError> {
    let failed = |error: std::io::Error| TeamError::Unavailable(format!("{}: {error}", folder.display()));
    let wrong =
        |what: &str| TeamError::invalid("wrong-backup", format!("{}: {what}", folder.join(ROWS).display()));
    let mut lines = BufReader::new(File::open(folder.join(ROWS)).map_err(failed)?).lines();
    let first: Value = match lines.next() {
        Some(line) => serde_json::from_str(&line.map_err(failed)?).unwrap_or_default(),
        None => Value::Null,
    };
    if first["format"] != FORMAT {
        return Err(wrong("it is not a backup of this program"));
    }
    let from = Objects::folder(&folder.join(CONTENTS))?;
    let mut kept = Kept::default();
    let mut there = BTreeSet::new();
    for (digest, _) in from.list().await? {
        objects.put(&from.get(&digest).await?).await?;
        kept.trees += 1;
        there.insert(format!("sha256:{digest}"));
    }
    let mut chain = Chain::default();
    let mut tx = db.begin().await?;
    let used = tx.maybe("SELECT 1 FROM user_account LIMIT 1", args![]).await?;
    if used.is_some() {
        return Err(TeamError::conflict("not-empty", "the database is not empty; restore into a new one"));
    }
    tx.run("DELETE FROM org", args![]).await?;
    for line in lines {
        let line: Line =
            serde_json::from_str(&line.map_err(failed)?).map_err(|error| wrong(&error.to_string()))?;
        let table =
            TABLES.iter().find(|table| table.name == line.table).ok_or_else(|| wrong("an unknown table"))?;
        if line.row.len() != table.kinds.len() {
            return Err(wrong("a row has another number of columns"));
        }
        let mut values = Vec::new();
        for (value, kind) in line.row.iter().zip(table.kinds.chars()) {
            values.push(match (kind, value) {
                ('t', Value::String(text)) => Arg::from(text.as_str()),
                ('n', Value::Null) => Arg::Int(None),
                ('n', Value::Number(number)) if number.is_i64() => Arg::Int(number.as_i64()),
                _ => return Err(wrong("a value has another kind than its column")),
            });
        }
        let text = |at: usize| line.row[at].as_str().unwrap_or_default();
        let number = |at: usize| line.row[at].as_i64().unwrap_or_default();
        match table.name {
            "tree" if !there.contains(text(0)) => {
                return Err(wrong(&format!("the contents {} are missing beside it", text(0))));
            }
            "audit_entry" => {
                let fields: Vec<&str> = (1..7).map(text).collect();
                if !chain.goes_on(number(0), &fields, number(7), text(8), text(9)) {
                    return Err(wrong(&format!("the audit log is broken at entry {}", number(0))));
                }
            }
            _ => {}
        }
        tx.run(table.write, values).await?;
        kept.rows += 1;
    }
    tx.run(KEEP_REVOKED, args![]).await?;
    tx.commit().await?;
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_the_schema_is_kept_or_named_as_not_kept() {
        let schema = crate::db::MIGRATIONS.concat();
        for line in schema.lines().filter_map(|line| line.strip_prefix("CREATE TABLE ")) {
            let name = line.split(' ').next().unwrap();
            let is_kept = TABLES.iter().any(|table| table.name == name);
            assert!(is_kept || NOT_KEPT.contains(&name), "{name}");
        }
    }

    #[test]
    fn every_column_of_a_table_is_kept() {
        let schema = crate::db::MIGRATIONS.concat();
        for table in TABLES {
            let body = schema.split(&format!("CREATE TABLE {} (\n", table.name)).nth(1).unwrap();
            let columns: Vec<(&str, char)> = body
                .split("\n);")
                .next()
                .unwrap()
                .lines()
                .filter_map(|line| {
                    let mut words = line.split_whitespace();
                    let (name, kind) = (words.next()?, words.next()?);
                    let kind = if kind.starts_with("TEXT") { 't' } else { 'n' };
                    (!["UNIQUE", "PRIMARY"].contains(&name)).then_some((name, kind))
                })
                .collect();
            let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
            assert!(table.read.starts_with(&format!("SELECT {} FROM", names.join(", "))), "{}", table.read);
            assert_eq!(
                columns.iter().map(|(_, kind)| *kind).collect::<String>(),
                table.kinds,
                "{}",
                table.name
            );
        }
    }
}
