//! `audit`: what a skill could do to its user.

use super::{library, printed};
use crate::{
    args::{AuditArgs, Format, Weight},
    context::Context,
    error::{Exit, Failure, Outcome},
    output::tell,
    report::{audit as show, visible},
};
use skillful::{
    audited_files::AuditedFiles,
    views::audit::{AuditList, AuditView},
};
use skillful_assistant::{
    model_set::ModelSet,
    models::{CONNECT, Models},
    skill_review,
};
use skillful_audit::Severity;
use skillful_catalog::{AgentProfile, inspect::skill_files};
use skillful_format::Tree;
use std::path::{Path, PathBuf};

pub(crate) fn run(context: &mut Context, args: &AuditArgs) -> Outcome {
    let mut audited = Vec::new();
    let places = places(context, &args.skills)?;
    let models = args.model.as_deref().map(|name| connect(context, name)).transpose()?;
    for subject in places {
        let (place, files, name) = match subject {
            Subject::At(place) => {
                let unread = |why| Failure::new(format!("`{}` was not audited: {why}", place.display()));
                let files = AuditedFiles::read(&place).map_err(unread)?;
                (place, files, None)
            }
            Subject::Pending { name, source, tree } => (source, AuditedFiles::of_tree(tree), Some(name)),
        };
        let mut report = files.report();
        if let Some(models) = &models {
            let model = &models.usual.provider;
            let name = place.file_name().unwrap_or(place.as_os_str()).to_string_lossy();
            tell(&format!("{} reads {}\n", visible::sentence(&model.model), visible::sentence(&name)));
            report.add_model_review(skill_review::review(models, files.tree()));
        }
        let view = AuditView::new(&place, report).of_tree(files.tree());
        audited.push(match name {
            Some(name) => AuditView { name, ..view },
            None => view,
        });
    }
    let list = AuditList::new(audited).with_loaders(&context.workspace);
    let format = match args.format {
        Format::Text if context.output.json => Format::Json,
        format => format,
    };
    match format {
        Format::Json => printed(context.output.print_json(&list))?,
        Format::Sarif => {
            let base = &context.workspace.environment().cwd;
            printed(context.output.print_sarif(&show::sarif(&list.skills, base, env!("CARGO_PKG_VERSION"))))?;
        }
        Format::Text => printed(context.output.page(&text(context, &list)))?,
    }
    let limit = match args.fail_on {
        Weight::Block => Severity::Block,
        Weight::Warn => Severity::Warn,
        Weight::Note => Severity::Note,
    };
    let found = list.skills.iter().flat_map(|one| one.report.severities()).any(|severity| severity >= limit);
    let is_incomplete = list.skills.iter().any(|one| one.report.is_incomplete());
    Ok(match () {
        () if found => Exit::Findings,
        () if is_incomplete => Exit::Incomplete,
        () => Exit::Clean,
    })
}

/// The models of the user. The named one, if any, is the default.
fn connect(context: &Context, name: &str) -> Result<ModelSet, Failure> {
    let connected = Models::of(&context.workspace)
        .connect(Some(name))?
        .ok_or_else(|| Failure::usage("audit --model: no model is connected").hint(CONNECT))?;
    for note in &connected.notes {
        tell(&format!("{note}\n"));
    }
    Ok(connected.models)
}

/// One skill in full; of several one line each, then those with findings in full.
fn text(context: &Context, list: &AuditList) -> String {
    let full = |one: &AuditView| {
        let loaded_by: Vec<&AgentProfile> =
            one.loaded_by.iter().filter_map(|id| context.workspace.agent(id).ok()).collect();
        show::text(one, &context.short(Path::new(&one.path)), &loaded_by, &context.output)
    };
    if let [one] = list.skills.as_slice() {
        return full(one);
    }
    let mut out: String = list.skills.iter().map(|one| show::line(one, &context.output)).collect();
    let has_findings = |one: &&AuditView| {
        let report = &one.report;
        let review = report.model.as_ref();
        report.severities().next().is_some()
            || !report.not_scanned.is_empty()
            || review.is_some_and(|review| !review.not_usable.is_empty())
    };
    for one in list.skills.iter().filter(has_findings) {
        out.push_str(&format!("\n{}", full(one)));
    }
    out
}

/// What is audited.
#[derive(PartialEq)]
enum Subject {
    /// A folder, an archive or a command file.
    At(PathBuf),
    /// A skill that is downloaded and in no folder yet.
    Pending { name: String, source: PathBuf, tree: Tree },
}

/// The files of a skill that waits for its review.
fn pending(context: &Context, word: &str) -> Result<Subject, Failure> {
    let library = library::user(context)?;
    let items = library.reviews()?;
    let item = library.find_review(&items, word)?;
    let tree = library.review_tree(item)?;
    let source = PathBuf::from(item.source.clone().unwrap_or_else(|| item.name.clone()));
    Ok(Subject::Pending { name: item.name.clone(), source, tree })
}

/// The folders and archives that the words mean.
fn places(context: &mut Context, words: &[String]) -> Result<Vec<Subject>, Failure> {
    let cwd = context.workspace.environment().cwd.clone();
    let below = |path: &Path| -> Vec<PathBuf> {
        skill_files(path).iter().filter_map(|file| file.parent().map(Path::to_path_buf)).collect()
    };
    let mut places = Vec::new();
    if words.is_empty() {
        places = below(&cwd).into_iter().map(Subject::At).collect();
        if places.is_empty() {
            return Err(Failure::usage("no SKILL.md at or below this folder")
                .hint("name the skills to audit: a folder, an archive, or a name of `skillful list`"));
        }
    }
    for word in words {
        let path = cwd.join(word);
        if path.is_dir() {
            let found = below(&path);
            // A folder without a skill is audited as well, since the user named it.
            let found = if found.is_empty() { vec![path] } else { found };
            places.extend(found.into_iter().map(Subject::At));
        } else if path.is_file() {
            let skill = path.file_name().is_some_and(|name| name == "SKILL.md" || name == "skill.md");
            let folder = path.parent().filter(|_| skill).map(Path::to_path_buf);
            places.push(Subject::At(folder.unwrap_or(path)));
        } else if context.workspace.find(word).is_err_and(|missing| missing.is_pending) {
            places.push(pending(context, word)?);
        } else {
            let (catalog, at) = context.catalog_with(word)?;
            places.push(Subject::At(catalog.entries[at].origin.real.clone()));
        }
    }
    places.dedup();
    Ok(places)
}
