//! Text to lock. Everything is checked: a lock comes with a repository, and its author is not trusted.

use super::{Lock, LockFault, Locked, LockedEdit, PushedSkill, Resolved, SkillKey, VERSION};
use crate::source::Ref;
use skillful_format::{Limits, TreePath};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    str::FromStr,
};
use toml::{Table, Value};

impl FromStr for Lock {
    type Err = LockFault;

    fn from_str(text: &str) -> Result<Self, LockFault> {
        if text.len() as u64 > super::LOCK_LIMIT {
            return Err(LockFault::TooLarge(super::LOCK_LIMIT));
        }
        if text.lines().any(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ")) {
            return Err(LockFault::Conflict);
        }
        let mut top: Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count());
            LockFault::Toml(format!("line {}: {}", line.max(1), error.message()))
        })?;
        match top.remove("version") {
            Some(Value::Integer(VERSION)) => {}
            Some(Value::Integer(newer)) if newer > VERSION => return Err(LockFault::Newer(newer)),
            Some(_) => return Err(value("version", format!("it is {VERSION}"))),
            None => return Err(LockFault::Missing("version".to_owned())),
        }
        let mut skills = BTreeMap::new();
        match top.remove("skill") {
            Some(Value::Table(tables)) => {
                for (name, table) in tables {
                    let key = name.parse::<SkillKey>().map_err(|why| value(&format!("skill.{name}"), why))?;
                    let Value::Table(table) = table else {
                        return Err(value(&format!("skill.{name}"), "a skill is a table"));
                    };
                    let locked = Reading { name: &name, table }.locked()?;
                    skills.insert(key, locked);
                }
            }
            Some(_) => return Err(value("skill", "it is a table of skills")),
            None => {}
        }
        let pushed = match top.remove("push") {
            Some(push) => pushed(push)?,
            None => BTreeMap::new(),
        };
        Ok(Self { skills, pushed, rest: top.into_iter().collect() })
    }
}

fn value(key: &str, why: impl Display) -> LockFault {
    LockFault::Value { key: key.to_owned(), why: why.to_string() }
}

/// `push.TARGET.SKILL`.
fn pushed(push: Value) -> Result<BTreeMap<String, BTreeMap<String, PushedSkill>>, LockFault> {
    let table = |key: &str, from: Value| match from {
        Value::Table(table) => Ok(table),
        _ => Err(value(key, "it is a table")),
    };
    let mut found = BTreeMap::new();
    for (target, skills) in table("push", push)? {
        let mut all = BTreeMap::new();
        for (name, one) in table(&target, skills)? {
            let key = format!("push.{target}.{name}");
            let mut one = table(&key, one)?;
            let mut needed = |part: &str| match one.remove(part) {
                Some(Value::String(text)) => Ok(text),
                _ => Err(LockFault::Missing(format!("{key}.{part}"))),
            };
            let (id, version, tree) = (needed("id")?, needed("version")?, needed("tree")?);
            for (part, text) in [("id", &id), ("version", &version)] {
                if !PushedSkill::is_id(text) {
                    let why = "it is 1 to 200 letters, digits, `_`, `-` and `.`";
                    return Err(value(&format!("{key}.{part}"), why));
                }
            }
            let tree = tree.parse().map_err(|why| value(&key, why))?;
            all.insert(name, PushedSkill { id, version, tree });
        }
        found.insert(target, all);
    }
    Ok(found)
}

struct Reading<'a> {
    name: &'a str,
    table: Table,
}

impl Reading<'_> {
    fn locked(mut self) -> Result<Locked, LockFault> {
        let commit = self.parsed::<Text>("commit")?;
        if let Some(Text(commit)) = &commit
            && !Ref::new(commit).is_ok_and(|commit| commit.is_commit())
        {
            return Err(value(&self.key("commit"), "a commit is 40 or 64 lower-case hex digits"));
        }
        // Release 0.1 wrote the digest of each file, which the digest of the tree covers.
        self.table.remove("files");
        Ok(Locked {
            source: self.needed("source")?,
            folder: self.parsed::<Path>("folder")?.map(|path| path.0),
            resolved: Resolved {
                url: self.parsed::<Text>("url")?.map(|text| text.0),
                commit: commit.map(|text| text.0),
                version: self.parsed::<Text>("version")?.map(|text| text.0),
            },
            artefact: self.parsed("artefact")?,
            tree: self.needed("tree")?,
            edited: self.edited()?,
            signer: self.parsed("signer")?,
            capabilities: self.list::<Text>("capabilities")?.into_iter().map(|text| text.0).collect(),
            pending: match self.table.remove("pending") {
                None => false,
                Some(Value::Boolean(is)) => is,
                Some(_) => return Err(value(&self.key("pending"), "it is `true` or `false`")),
            },
            copied: self.paths("copied")?,
            linked: self.paths("linked")?,
            aliases: self.paths("aliases")?,
            rest: self.table.into_iter().collect(),
        })
    }

    fn edited(&mut self) -> Result<Option<LockedEdit>, LockFault> {
        let tree = self.parsed("edited")?;
        let lines = self.list::<Text>("patch")?;
        let Some(tree) = tree else {
            return if lines.is_empty() { Ok(None) } else { Err(LockFault::Missing(self.key("edited"))) };
        };
        let text = |lines: Vec<Text>| lines.into_iter().map(|line| line.0 + "\n").collect();
        Ok(Some(LockedEdit { tree, patch: (!lines.is_empty()).then(|| text(lines)) }))
    }

    fn key(&self, key: &str) -> String {
        format!("skill.{}.{key}", self.name)
    }

    fn parsed<T: FromStr<Err: Display>>(&mut self, key: &str) -> Result<Option<T>, LockFault> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => text.parse().map(Some).map_err(|why| value(&self.key(key), why)),
            Some(_) => Err(value(&self.key(key), "it is a text")),
        }
    }

    fn needed<T: FromStr<Err: Display>>(&mut self, key: &str) -> Result<T, LockFault> {
        self.parsed(key)?.ok_or_else(|| LockFault::Missing(self.key(key)))
    }

    fn list<T: FromStr<Err: Display>>(&mut self, key: &str) -> Result<Vec<T>, LockFault> {
        let items = match self.table.remove(key) {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(value(&self.key(key), "it is a list")),
        };
        let mut read = Vec::with_capacity(items.len());
        for item in items {
            let Value::String(text) = item else {
                return Err(value(&self.key(key), "each item is a text"));
            };
            read.push(text.parse().map_err(|why| value(&self.key(key), why))?);
        }
        Ok(read)
    }

    /// Places end in the skill's own name: no lock makes us touch a folder of another one.
    fn paths(&mut self, key: &str) -> Result<BTreeSet<TreePath>, LockFault> {
        let paths: BTreeSet<TreePath> = self.list::<Path>(key)?.into_iter().map(|path| path.0).collect();
        let ends_well = |path: &TreePath| path.as_str().rsplit('/').next() == Some(self.name);
        if let Some(path) = paths.iter().find(|path| !ends_well(path)) {
            return Err(value(&self.key(key), format!("`{path}` does not end in `{}`", self.name)));
        }
        Ok(paths)
    }
}

struct Path(TreePath);

impl FromStr for Path {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        TreePath::new(text, &Limits::default()).map(Self).map_err(|fault| format!("the path {fault}"))
    }
}

struct Text(String);

impl FromStr for Text {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}
