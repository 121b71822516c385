//! `outdated`: which installed skills their sources have newer. Changes nothing on the disk.

use super::{
    printed,
    registry::{Desk, outside_of, refused},
};
use crate::{
    args::OutdatedArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{Cell, DIM, GOOD, Table, WARN, harmless, tell},
    progress::Bar,
    shape,
};
use serde_json::json;
use skillful_format::Digest;
use skillful_registry::{
    AtomicWriter, ContentStore, Lock,
    fetch::fetch,
    install::{Newest, edited_places, newest},
    lock::{Resolved, SkillKey},
};
use std::collections::BTreeSet;

/// Digits of a commit or digest that a person is shown.
const DIGITS: usize = 12;

pub(crate) fn run(context: &mut Context, args: &OutdatedArgs) -> Outcome {
    let site = Desk::site(context, args.global);
    let lock = Lock::load(&site.lock).map_err(refused)?;
    let names = chosen(&lock, &args.names)?;
    let contents = ContentStore::open(&Desk::store(context), AtomicWriter::default()).map_err(refused)?;
    let bar = Bar::new(context);
    let mut outside = bar.shown(outside_of(context, &site));
    outside.scratch = std::env::temp_dir();
    let found = newest(&lock, &names, &|source, pinned| fetch(source, pinned, &outside));
    drop(bar);
    let mut rows = Vec::new();
    for (name, newest) in &found {
        let Some(locked) = lock.skills.get(name) else { continue };
        let edited = !edited_places(locked, &site, Some(&contents)).map_err(refused)?.is_empty();
        let before = version(&locked.resolved, &locked.tree);
        let (state, after, why) = match newest {
            Newest::Found(fresh) if fresh.found.tree.digest() != locked.tree => {
                let tree = fresh.found.tree.digest();
                let after = version(&fresh.resolved, &tree);
                // The same version with other files: then the files tell them apart.
                ("update", if after == before { digits(&tree.to_hex()) } else { after }, None)
            }
            Newest::Found(_) | Newest::Pinned => ("current", before.clone(), None),
            Newest::Gone(why) => ("gone", "-".to_owned(), Some(why.clone())),
            Newest::Unreachable(why) => ("unreachable", "-".to_owned(), Some(why.clone())),
        };
        rows.push(Row { name, before, after, state, edited, why });
    }
    show(context, &rows)?;
    Ok(match () {
        () if rows.iter().any(|row| matches!(row.state, "update" | "gone")) => Exit::Findings,
        () if rows.iter().any(|row| row.state == "unreachable") => Exit::Incomplete,
        () => Exit::Clean,
    })
}

struct Row<'a> {
    name: &'a SkillKey,
    before: String,
    after: String,
    state: &'static str,
    edited: bool,
    why: Option<String>,
}

impl Row<'_> {
    fn state(&self) -> String {
        match (self.state, self.edited) {
            ("current", true) => "edited".to_owned(),
            (state, true) => format!("{state}, edited"),
            (state, false) => state.to_owned(),
        }
    }
}

fn show(context: &Context, rows: &[Row<'_>]) -> Result<(), Failure> {
    if context.output.json {
        let one = |row: &Row<'_>| {
            json!({
                "skill": row.name.as_str(),
                "locked": row.before,
                "newest": if row.after == "-" { None } else { Some(&row.after) },
                "state": row.state,
                "edited": row.edited,
                "why": row.why,
            })
        };
        let skills: Vec<_> = rows.iter().map(one).collect();
        return printed(context.output.print_json(&json!({ "schema": shape::SCHEMA, "skills": skills })));
    }
    if rows.is_empty() {
        return printed(context.output.print("nothing is installed here\n"));
    }
    let mut table = Table { heads: vec!["NAME", "LOCKED", "NEWEST", "STATE"], rows: Vec::new() };
    for row in rows {
        let style = match row.state {
            "update" => GOOD,
            "current" => DIM,
            _ => WARN,
        };
        table.rows.push(vec![
            Cell::plain(row.name.as_str()),
            Cell::plain(&row.before),
            Cell::plain(&row.after),
            Cell::styled(row.state(), style),
        ]);
    }
    printed(context.output.print(&table.render(&context.output)))?;
    for row in rows {
        if let Some(why) = &row.why {
            tell(&format!("warning: {}: {}\n", harmless(row.name.as_str()), harmless(why)));
        }
    }
    Ok(())
}

/// The names that are meant; all when none is given.
pub(super) fn chosen(lock: &Lock, names: &[String]) -> Result<BTreeSet<SkillKey>, Failure> {
    if names.is_empty() {
        return Ok(lock.skills.keys().cloned().collect());
    }
    let mut chosen = BTreeSet::new();
    for name in names {
        let key = super::registry::key(name)?;
        if !lock.skills.contains_key(&key) {
            return Err(Failure::new(format!("`{}` was not installed by skillful", harmless(name)))
                .hint("`skillful outdated` lists what was"));
        }
        chosen.insert(key);
    }
    Ok(chosen)
}

/// What a person calls a version: the commit, the number, or the beginning of the digest.
pub(super) fn version(resolved: &Resolved, tree: &Digest) -> String {
    match (&resolved.version, &resolved.commit) {
        (Some(version), _) => version.clone(),
        (None, Some(commit)) => digits(commit),
        (None, None) => digits(&tree.to_hex()),
    }
}

fn digits(text: &str) -> String {
    text.chars().take(DIGITS).collect()
}
