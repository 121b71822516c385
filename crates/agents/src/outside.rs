//! Skills of a repository whose file is a link out of it. An agent reads them, so that its view names them. Only what a
//! file says of itself in its frontmatter is passed on: any other text of it, such as a first line that an agent takes as
//! the description, may be of a private file, and a view goes to logs and to models.

use crate::{
    real_path::RealPaths,
    skill::{Loss, Skill},
};
use skillful_catalog::{Catalog, bounded};
use std::path::Path;

/// In the place of what the file says.
const NOT_SHOWN: &str = "its file is a link that leads out of the repository; this agent reads it, and what it says is not shown here";
/// In the place of why the agent does not take it, which may quote the file.
const NOT_TAKEN: &str =
    "its file is a link that leads out of the repository, and this agent does not take what it says";
const FENCE: &str = "---";

/// Takes out what comes from such files.
pub(super) fn hide(catalog: &Catalog, paths: &mut RealPaths, skills: &mut [Skill], losses: &mut [Loss]) {
    // Most files are not behind a link, and comparing a path with every root takes longer than reading the file.
    let is_linked = |file: &Path, real: &Path| file.as_os_str() != real.as_os_str();
    let is_private = |file: &Path, real: &Path| {
        is_linked(file, real) && catalog.leads_out(file, real) && !has_frontmatter(real)
    };
    for skill in skills.iter_mut().filter(|skill| is_private(&skill.found.file, &skill.found.real)) {
        skill.name = name_of(&skill.found.file);
        (skill.label, skill.description, skill.when_to_use) = (None, None, None);
        skill.warnings = vec![NOT_SHOWN.to_owned()];
    }
    for loss in losses {
        let Some(real) = paths.file(&loss.file) else { continue };
        if is_private(&loss.file, &real) {
            loss.name = None;
            NOT_TAKEN.clone_into(&mut loss.cause.reason);
            loss.cause.fix = None;
        }
    }
}

fn has_frontmatter(file: &Path) -> bool {
    bounded::read_start(file, FENCE.len(), None).is_ok_and(|(start, _)| start == FENCE)
}

/// The name of the folder of a skill, or of a file that is a skill by itself.
fn name_of(file: &Path) -> String {
    let is_skill = file.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    let named = if is_skill { file.parent().and_then(Path::file_name) } else { file.file_stem() };
    named.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
