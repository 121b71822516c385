//! What a mention means in a catalog.

use super::{Mention, MentionForm};
use crate::access::{self, Asker, Way};
use skillful_catalog::{Catalog, Placement, names::Lookup};
use std::path::Path;

/// A mention and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedMention {
    /// The mention.
    pub mention: Mention,
    /// What it means.
    pub meaning: MentionMeaning,
}

/// What a mention means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MentionMeaning {
    /// A skill, as an index into the catalog. The gate decides whether it may be used.
    Skill(usize),
    /// Several skills have the name and none comes first; their addresses.
    Ambiguous(Vec<String>),
    /// A connector of the agent has the same name, which the plain form means.
    Connector,
    /// Nothing here; similar addresses of skills that the caller may use.
    Unknown(Vec<String>),
}

impl MentionMeaning {
    /// The one skill that it names, as an index into the catalog.
    pub fn skill(&self) -> Option<usize> {
        if let Self::Skill(entry) = self { Some(*entry) } else { None }
    }

    /// Why it selects nothing, when it does not name one skill.
    pub fn problem(&self) -> Option<String> {
        match self {
            Self::Skill(_) => None,
            Self::Connector => Some("a connector of this name is meant".to_owned()),
            Self::Ambiguous(names) => Some(format!("several skills have this name: {}", names.join(", "))),
            Self::Unknown(near) if near.is_empty() => Some("no skill has this name".to_owned()),
            Self::Unknown(near) => {
                Some(format!("no skill has this name; did you mean {}?", near.join(" or ")))
            }
        }
    }
}

impl Mention {
    /// A path that the agent gives beside the text. It means what lies there and nothing else: when
    /// nothing does, its name in the text means nothing either.
    pub fn given(path: &str) -> Self {
        let trimmed = path.trim_end_matches('/');
        let folder = trimmed.strip_suffix("/SKILL.md").unwrap_or(trimmed);
        let name = folder.rsplit('/').next().unwrap_or(folder).to_owned();
        Self { form: MentionForm::Given, name, path: Some(path.to_owned()), range: 0..0 }
    }

    /// The way it takes to a skill: a path or a qualified name means that very one.
    pub fn way(&self) -> Way {
        if matches!(self.form, MentionForm::Link | MentionForm::Given) || self.name.contains(':') {
            Way::Exact
        } else {
            Way::Mention
        }
    }
}

/// Resolves each mention, in the order of the text, each skill and each unknown name once. A mention that names
/// nothing is reported, unless it is a plain `$name` or `@name` that reads as prose.
pub fn resolve(
    mentions: &[Mention],
    catalog: &Catalog,
    asker: Asker<'_>,
    cwd: &Path,
    connectors: &[&str],
) -> Vec<ResolvedMention> {
    let mut resolved: Vec<ResolvedMention> = Vec::new();
    let given: Vec<&str> = mentions
        .iter()
        .filter(|mention| mention.form == MentionForm::Given)
        .map(|mention| mention.name.as_str())
        .collect();
    for mention in mentions {
        let plain = matches!(mention.form, MentionForm::Dollar | MentionForm::At);
        if plain && given.contains(&mention.name.as_str()) {
            continue;
        }
        let meaning = meaning(mention, catalog, asker, cwd, connectors);
        let repeated = resolved.iter().any(|known| {
            known.meaning == meaning
                && (matches!(&meaning, MentionMeaning::Skill(_))
                    || (plain && known.mention.form == mention.form && known.mention.name == mention.name))
        });
        if !repeated && !is_prose(mention, &meaning) {
            resolved.push(ResolvedMention { mention: mention.clone(), meaning });
        }
    }
    resolved
}

/// Whether a plain mention that names nothing is ordinary text. `$name` is text when it is not written like the name
/// of a skill: two or more lower-case letters and digits with hyphens, a letter first, so that `$5k`, `$x` and
/// `$my_var` are text. `@name` is also text without a hyphen or colon, since users name one another so. Both are reported when a
/// skill has a similar name.
fn is_prose(mention: &Mention, meaning: &MentionMeaning) -> bool {
    let MentionMeaning::Unknown(near) = meaning else { return false };
    let name = mention.name.as_str();
    let is_kebab = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | ':'));
    let is_shaped = match mention.form {
        MentionForm::Dollar => is_kebab,
        MentionForm::At => is_kebab && name.contains(['-', ':']),
        _ => return false,
    };
    !is_shaped && near.is_empty()
}

fn meaning(
    mention: &Mention,
    catalog: &Catalog,
    asker: Asker<'_>,
    cwd: &Path,
    connectors: &[&str],
) -> MentionMeaning {
    if matches!(mention.form, MentionForm::Link | MentionForm::Given) {
        // A path is meant exactly: no search by name when it leads nowhere.
        let path = mention.path.as_deref().unwrap_or_default();
        let path = path.strip_prefix("skill://").unwrap_or(path).replace('\\', "/");
        return match by_path(&path, catalog, cwd) {
            Some(at) => MentionMeaning::Skill(at),
            None if mention.form == MentionForm::Given && !path.contains('/') => {
                by_name(&path, catalog, asker, cwd)
            }
            None => MentionMeaning::Unknown(Vec::new()),
        };
    }
    let plain = matches!(mention.form, MentionForm::Dollar | MentionForm::At);
    if plain && connectors.iter().any(|slug| slug.eq_ignore_ascii_case(&mention.name)) {
        return MentionMeaning::Connector;
    }
    by_name(&mention.name, catalog, asker, cwd)
}

fn by_path(path: &str, catalog: &Catalog, cwd: &Path) -> Option<usize> {
    let given = cwd.join(path);
    catalog.entries.iter().position(|entry| {
        let origin = &entry.origin;
        let file_name = origin.file.file_name();
        std::iter::once(&origin.file)
            .chain(origin.also.iter().map(|(_, file)| file))
            .any(|file| *file == given || file.parent() == Some(given.as_path()))
            || origin.real == given
            || file_name.is_some_and(|name| origin.real.join(name) == given)
    })
}

fn by_name(name: &str, catalog: &Catalog, asker: Asker<'_>, cwd: &Path) -> MentionMeaning {
    let meant = catalog.called_by(name, asker.principal.user.as_deref());
    if let Some((at, _)) = meant.or_else(|| catalog.called(name).next()) {
        return MentionMeaning::Skill(at);
    }
    // A plugin's skill may be called by its own name when only one plugin has it.
    let mut qualified: Vec<(usize, String)> = catalog
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| {
            entry.name == name && entry.qualifier.is_some() && entry.placement == Placement::Active
        })
        .map(|(at, entry)| (at, entry.address()))
        .collect();
    match qualified.len() {
        0 => match catalog.find(name, cwd) {
            Lookup::Found(at) if name.contains(':') => MentionMeaning::Skill(at),
            _ => MentionMeaning::Unknown(access::near(catalog, name, asker, Way::Mention)),
        },
        1 => MentionMeaning::Skill(qualified.remove(0).0),
        _ => MentionMeaning::Ambiguous(qualified.into_iter().map(|(_, address)| address).collect()),
    }
}
