//! A change of one file: shown as a diff, written atomically, and refused when the file changed since the plan.

use super::{
    content,
    disk::{DiskError, FileSlot, Opened},
    path_access::{PathRules, is_key},
    real_path::display_path,
};
use crate::{
    tool::{Effect, Output, Preview, Reach, ToolPlan},
    tool_environment::ToolEnvironment,
};
use rustix::fs::Mode;
use similar::{ChangeTag, TextDiff};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Most bytes of a file that can be changed.
pub(super) const LARGEST: usize = 4 << 20;
/// Time limit of the diff; after it a coarser one is shown.
const PATIENCE: Duration = Duration::from_millis(500);
/// Context lines around a change.
const AROUND: usize = 3;

/// A file as it was when the change was planned.
pub(super) struct Before {
    pub(super) bytes: Vec<u8>,
    mode: Mode,
}

/// The file now; `None` when it does not exist.
pub(super) fn before(path: &Path) -> Result<Option<Before>, DiskError> {
    let opened = match FileSlot::of(path, false).and_then(|slot| slot.open()) {
        Err(DiskError::Missing) => return Ok(None),
        opened => opened?,
    };
    if opened.read_only() {
        return Err(std::io::Error::other("it is read-only; change its mode first").into());
    }
    take(opened).map(Some)
}

fn take(opened: Opened) -> Result<Before, DiskError> {
    let mode = opened.mode();
    Ok(Before { bytes: opened.whole(LARGEST)?, mode })
}

/// The plan of a change.
pub(super) fn plan<'a>(
    env: &'a ToolEnvironment<'a>,
    verb: &str,
    path: PathBuf,
    before: Option<Before>,
    after: Vec<u8>,
) -> ToolPlan<'a> {
    let name = display_path(env, &path);
    let mut access = PathRules::of(env).writing(&path);
    if before.is_some() && is_key(&path) {
        // A change of a file that exists shows what is in it.
        access.reach = Reach::Guarded;
    }
    let (added, removed, preview) = preview(&name, before.as_ref().map(|before| &*before.bytes), &after);
    let why = access.why.map(|why| format!("; {why}")).unwrap_or_default();
    let verb = if before.is_none() { "create" } else { verb };
    let same = before.as_ref().is_some_and(|before| before.bytes == after);
    let work = {
        let (path, name) = (path.clone(), name.clone());
        move || {
            if same {
                return Output::ok(format!("`{name}` already has this content; nothing was changed."));
            }
            match replace(&path, before.as_ref(), &after) {
                Ok(()) if before.is_none() => Output::ok(format!("Created `{name}`, {}.", lines(added))),
                Ok(()) => Output::ok(format!("Changed `{name}`: {} added, {removed} removed.", lines(added))),
                Err(why) => Output::failed(format!("`{name}` was not written: {why}")),
            }
        }
    };
    ToolPlan {
        summary: format!("{verb} {name} (+{added} −{removed}{why})"),
        effects: vec![Effect::Write(path)],
        reach: access.reach,
        preview: Some(preview),
        parallel: false,
        work: Box::new(work),
    }
}

/// The plan of a change that is known to fail. The error reveals something about the file, so it is returned
/// only after policy and user allowed reading it; since nothing changes, no more than that is asked.
pub(super) fn failing_plan<'a>(
    env: &'a ToolEnvironment<'a>,
    verb: &str,
    path: PathBuf,
    why: &str,
) -> ToolPlan<'a> {
    let name = display_path(env, &path);
    let words = format!("`{name}` was not written: {why}");
    ToolPlan {
        summary: format!("{verb} {name}"),
        reach: PathRules::of(env).reading(&path).reach,
        effects: vec![Effect::Read(path.clone()), Effect::Write(path)],
        preview: None,
        parallel: false,
        work: Box::new(move || Output::failed(words)),
    }
}

fn lines(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}

fn replace(path: &Path, before: Option<&Before>, after: &[u8]) -> Result<(), String> {
    let changed = || "it changed since this was planned; read it again".to_owned();
    let told = |error: DiskError| error.to_string();
    let slot = FileSlot::of(path, before.is_none()).map_err(told)?;
    match (slot.open(), before) {
        (Err(DiskError::Missing), None) => {}
        (Err(DiskError::Missing), Some(_)) | (Ok(_), None) => return Err(changed()),
        (Err(error), _) => return Err(told(error)),
        (Ok(opened), Some(before)) => {
            let now = take(opened).map_err(told)?;
            if now.bytes != before.bytes {
                return Err(changed());
            }
        }
    }
    slot.put(after, before.map(|before| before.mode)).map_err(told)
}

/// Lines added and removed, and the preview for the user.
fn preview(name: &str, before: Option<&[u8]>, after: &[u8]) -> (usize, usize, Preview) {
    let text =
        |bytes| std::str::from_utf8(bytes).ok().filter(|text| content::kind(text.as_bytes()).is_none());
    let (Some(old), Some(new)) = (text(before.unwrap_or_default()), text(after)) else {
        let size = before.map_or(0, <[u8]>::len) as u64;
        let words = format!("{name}: {} of binary data are replaced", content::size(size));
        let lines = after.split(|byte| *byte == b'\n').count();
        return (lines, 0, Preview::Text(words));
    };
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
    (added, removed, Preview::Diff(difference(name, before.map(|_| old), new)))
}

/// A change as a unified diff.
pub(super) fn difference(name: &str, old: Option<&str>, new: &str) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old.unwrap_or_default(), new);
    let name = name.trim_start_matches('/');
    let from = if old.is_some() { format!("a/{name}") } else { "/dev/null".to_owned() };
    diff.unified_diff().context_radius(AROUND).header(&from, &format!("b/{name}")).to_string()
}
