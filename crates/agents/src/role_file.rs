//! Reads roles from Markdown files: the name is the path, and the frontmatter has the settings.

use super::{command, dialect, fence, parse};
use serde_json::{Map, Value as Json};
use skillful_catalog::bounded;
use skillful_profiles::{AgentProfile, CommandRule, PermissionRule};
use std::path::{Path, PathBuf};

/// A larger file is not read.
const FILE_LIMIT: u64 = 1 << 20;

/// The roles of a folder as settings, one for each file. A file whose frontmatter cannot be read is skipped.
pub(super) fn read(
    agent: &AgentProfile,
    rule: &PermissionRule,
    folder: &Path,
    starts: bool,
) -> Vec<(PathBuf, Json)> {
    let Some(key) = &rule.roles else { return Vec::new() };
    let files = command::files(folder, &CommandRule::default()).into_iter().map(|command| command.file);
    let role = |file: PathBuf| {
        let text = bounded::read_text(&file, FILE_LIMIT, None).ok()?;
        let mut settings = match fence::cuts(&text, &agent.frontmatter) {
            Ok(cuts) => {
                let cut = cuts.first()?;
                let settings =
                    |text: &str| dialect::read(text, &agent.frontmatter, &[]).ok().map(|tree| tree.to_json());
                settings(cut.frontmatter).or_else(|| settings(&parse::rewritten(agent, cut)?))?
            }
            Err(_) => Json::Object(Map::new()),
        };
        let map = settings.as_object_mut()?;
        let path = file.strip_prefix(folder).ok()?.with_extension("");
        let name = match map.get("name").and_then(Json::as_str) {
            Some(name) => name.to_owned(),
            None => path.to_string_lossy().into_owned(),
        };
        if starts {
            map.insert("mode".to_owned(), Json::from("primary"));
        }
        let roles = Map::from_iter([(name, settings)]);
        Some((file, Json::Object(Map::from_iter([(key.clone(), Json::Object(roles))]))))
    };
    files.filter_map(role).collect()
}
