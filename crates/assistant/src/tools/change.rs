//! A change of one file: shown as a difference, made at once, and only on what it was planned for.

use super::{
    content::{self, head},
    disk::{DiskError, Opened, Spot},
    ground::Ground,
    place::told,
};
use crate::{
    scene::Scene,
    tool::{Effect, Output, Plan, Preview},
};
use rustix::fs::Mode;
use similar::{ChangeTag, TextDiff};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Bytes of a file that can be changed.
pub(super) const LARGEST: usize = 4 << 20;
/// Bytes of a difference that a person sees.
const SHOWN: usize = 64 << 10;
/// How long a difference may be looked for; then a coarser one is shown.
const PATIENCE: Duration = Duration::from_millis(500);
/// Unchanged lines around a change.
const AROUND: usize = 3;

/// A file as it was when the change was planned.
pub(super) struct Before {
    pub(super) bytes: Vec<u8>,
    mode: Mode,
}

/// The file as it is; nothing when it is not there.
pub(super) fn before(path: &Path) -> Result<Option<Before>, DiskError> {
    let opened = match Spot::of(path, false).and_then(|spot| spot.open()) {
        Err(DiskError::Missing) => return Ok(None),
        opened => opened?,
    };
    if opened.read_only() {
        return Err(std::io::Error::other("nobody may write it; change its mode first").into());
    }
    take(opened).map(Some)
}

fn take(opened: Opened) -> Result<Before, DiskError> {
    let mode = opened.mode();
    Ok(Before { bytes: opened.whole(LARGEST)?, mode })
}

/// The plan of a change that is known already.
pub(super) fn plan<'a>(
    scene: &'a Scene<'a>,
    verb: &str,
    path: PathBuf,
    before: Option<Before>,
    after: Vec<u8>,
) -> Plan<'a> {
    let name = told(scene, &path);
    let judged = Ground::of(scene).writing(&path);
    let (added, removed, preview) = preview(&name, before.as_ref().map(|before| &*before.bytes), &after);
    let why = judged.why.map(|why| format!("; {why}")).unwrap_or_default();
    let verb = if before.is_none() { "make" } else { verb };
    let same = before.as_ref().is_some_and(|before| before.bytes == after);
    let work = {
        let (path, name) = (path.clone(), name.clone());
        move || {
            if same {
                return Output::ok(format!("`{name}` was so already; nothing was changed."));
            }
            match replace(&path, before.as_ref(), &after) {
                Ok(()) if before.is_none() => Output::ok(format!("Made `{name}`, {added} lines.")),
                Ok(()) => Output::ok(format!("Changed `{name}`: {added} lines added, {removed} removed.")),
                Err(why) => Output::failed(format!("`{name}` was not written: {why}")),
            }
        }
    };
    Plan {
        summary: format!("{verb} {name} (+{added} −{removed}{why})"),
        effects: vec![Effect::Write(path)],
        reach: judged.reach,
        preview: Some(preview),
        parallel: false,
        work: Box::new(work),
    }
}

/// The plan of a change that is known to fail. Its words tell of the file, so they wait until policy and person
/// agreed, as for reading it; since nothing changes, nobody is asked for more.
pub(super) fn fails<'a>(scene: &'a Scene<'a>, verb: &str, path: PathBuf, why: &str) -> Plan<'a> {
    let name = told(scene, &path);
    let words = format!("`{name}` was not written: {why}");
    Plan {
        summary: format!("{verb} {name}"),
        reach: Ground::of(scene).reading(&path).reach,
        effects: vec![Effect::Read(path.clone()), Effect::Write(path)],
        preview: None,
        parallel: false,
        work: Box::new(move || Output::failed(words)),
    }
}

fn replace(path: &Path, before: Option<&Before>, after: &[u8]) -> Result<(), String> {
    let changed = || "it changed since this was planned; read it again".to_owned();
    let told = |error: DiskError| error.to_string();
    let spot = Spot::of(path, before.is_none()).map_err(told)?;
    match (spot.open(), before) {
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
    spot.put(after, before.map(|before| before.mode)).map_err(told)
}

/// Lines added and removed, and what a person sees.
fn preview(name: &str, before: Option<&[u8]>, after: &[u8]) -> (usize, usize, Preview) {
    let text =
        |bytes| std::str::from_utf8(bytes).ok().filter(|text| content::kind(text.as_bytes()).is_none());
    let (Some(old), Some(new)) = (text(before.unwrap_or_default()), text(after)) else {
        let size = before.map_or(0, <[u8]>::len) as u64;
        let words = format!("{name}: {} that are no text are replaced", content::size(size));
        let lines = after.split(|byte| *byte == b'\n').count();
        return (lines, 0, Preview::Text(words));
    };
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
    let text = difference(name, before.map(|_| old), new);
    let mut shown = head(&text, SHOWN).to_owned();
    if shown.len() < text.len() {
        let more = content::size((text.len() - shown.len()) as u64);
        shown.push_str(&format!("\n({more} more are not shown)\n"));
    }
    (added, removed, Preview::Diff(shown))
}

/// A change as a unified difference.
pub(super) fn difference(name: &str, old: Option<&str>, new: &str) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old.unwrap_or_default(), new);
    let from = if old.is_some() { format!("a/{name}") } else { "/dev/null".to_owned() };
    diff.unified_diff().context_radius(AROUND).header(&from, &format!("b/{name}")).to_string()
}
