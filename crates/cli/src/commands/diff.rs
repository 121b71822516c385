//! `diff`: what you changed in installed skills, or what their sources changed since.

use super::{
    outdated::chosen,
    printed,
    registry::{Desk, refused},
};
use crate::{
    args::DiffArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{harmless, tell},
    progress::{Bar, watched},
    report::difference,
    shape,
};
use serde_json::json;
use skillful_format::Tree;
use skillful_registry::{
    fetch::fetch,
    install::{Difference, Newest, Upstream, differences, edited_places, look_upstream},
    lock::{Locked, SkillKey},
    source::Ref,
};
use std::collections::BTreeSet;

/// What is different about one skill, or one place of it.
struct Part {
    name: SkillKey,
    /// Of a place.
    place: Option<String>,
    files: Vec<Difference>,
}

pub(crate) fn run(context: &mut Context, args: &DiffArgs) -> Outcome {
    let desk = Desk::open(context, args.global)?;
    let names = chosen(&desk.lock, &args.names)?;
    let mut looking = Looking { context, desk: &desk, parts: Vec::new(), missed: Vec::new() };
    if args.upstream {
        looking.upstream(&names);
    } else {
        looking.edits(&names)?;
    }
    let Looking { parts, missed, .. } = looking;
    if context.output.json {
        let one = |part: &Part| json!({ "skill": part.name.as_str(), "place": part.place, "files": difference::json(&part.files) });
        let missed: Vec<_> =
            missed.iter().map(|(n, why)| json!({ "skill": n.as_str(), "why": why })).collect();
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "differences": parts.iter().map(one).collect::<Vec<_>>(),
            "missed": missed,
        })))?;
    } else {
        let mut out = String::new();
        for part in &parts {
            let place = part.place.as_ref().map_or_else(|| part.name.to_string(), Clone::clone);
            out.push_str(&format!("{}:\n", harmless(&place)));
            out.push_str(&difference::text(&context.output, &part.files, None));
        }
        if parts.is_empty() && missed.is_empty() {
            out.push_str("no differences\n");
        }
        printed(context.output.print(&out))?;
        for (name, why) in &missed {
            tell(&format!("warning: {}: {}\n", harmless(name.as_str()), harmless(why)));
        }
    }
    Ok(match () {
        () if !parts.is_empty() => Exit::Findings,
        () if !missed.is_empty() => Exit::Incomplete,
        () => Exit::Clean,
    })
}

struct Looking<'a> {
    context: &'a Context,
    desk: &'a Desk,
    parts: Vec<Part>,
    /// What could not be compared, and why.
    missed: Vec<(SkillKey, String)>,
}

impl Looking<'_> {
    fn edits(&mut self, names: &BTreeSet<SkillKey>) -> Result<(), Failure> {
        for name in names {
            let Some(locked) = self.desk.lock.skills.get(name) else { continue };
            let edited =
                edited_places(locked, &self.desk.site, Some(&self.desk.contents)).map_err(refused)?;
            if edited.is_empty() {
                continue;
            }
            let base = self.base(locked);
            for (place, now) in edited {
                let place = self.context.short(&self.desk.site.path(&place));
                match (&base, now) {
                    (Ok(base), Some(now)) => self.parts.push(Part {
                        name: name.clone(),
                        place: Some(place),
                        files: differences(base, &now),
                    }),
                    (Err(why), Some(_)) => self.missed.push((name.clone(), why.clone())),
                    (_, None) => {
                        let why = format!("{place} is not what was installed there");
                        self.missed.push((name.clone(), why));
                    }
                }
            }
        }
        Ok(())
    }

    /// What was installed, from the store or by its commit.
    fn base(&self, locked: &Locked) -> Result<Tree, String> {
        let stored = match self.desk.contents.read(&locked.tree) {
            Ok(tree) => return Ok(tree),
            Err(error) => error.to_string(),
        };
        let commit =
            locked.resolved.commit.as_deref().and_then(|commit| Ref::new(commit).ok()).ok_or(stored)?;
        let outside = self.desk.outside(self.context);
        let fetched = watched(self.context, &locked.source, Some(&commit), &outside)
            .map_err(|error| error.to_string())?;
        let same = fetched.skills.into_iter().find(|found| found.tree.digest() == locked.tree);
        same.map(|found| found.tree)
            .ok_or_else(|| "the files that the lock names were not found again".to_owned())
    }

    fn upstream(&mut self, names: &BTreeSet<SkillKey>) {
        let bar = Bar::new(self.context);
        let outside = bar.shown(self.desk.outside(self.context));
        let Upstream { newest, bases } =
            look_upstream(&self.desk.lock, names, &self.desk.contents, |source, pinned| {
                fetch(source, pinned, &outside)
            });
        drop(bar);
        for (name, newest) in newest {
            let Some(locked) = self.desk.lock.skills.get(&name) else { continue };
            match newest {
                Newest::Found(fresh) if fresh.found.tree.digest() != locked.tree => {
                    let base = self
                        .desk
                        .contents
                        .read(&locked.tree)
                        .ok()
                        .or_else(|| bases.get(&locked.tree).cloned());
                    match base {
                        Some(base) => {
                            let files = differences(&base, &fresh.found.tree);
                            self.parts.push(Part { name, place: None, files });
                        }
                        None => {
                            let why =
                                "what was installed is no longer known; `skillful sync` may find it again";
                            self.missed.push((name, why.to_owned()));
                        }
                    }
                }
                Newest::Found(_) | Newest::Pinned => {}
                Newest::Gone(why) | Newest::Unreachable(why) => self.missed.push((name, why)),
            }
        }
    }
}
