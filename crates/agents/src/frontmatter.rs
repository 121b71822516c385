//! Reads a skill file as the agent does: bytes, fences, values, rules for values.

use super::{
    Listed, UnseenCode,
    dialect::{Fault, Value},
    fence::{self, Cut, Language},
    field,
    parse::{self, Fields},
    skill::{Cause, FoundSkill, Loss, Naming, Skill},
};
use skillful_catalog::folder::{FileRead, read_file};
use skillful_format::source::{FRONTMATTER_LIMIT, span_in, utf8};
use skillful_profiles::{
    AgentProfile, Closer, Encoding, Identity, LineEnds, Mark, Missing, MissingFrontmatter,
};
use std::{borrow::Cow, path::Path};

/// A larger file is not read, even if the agent would read it.
const FILE_LIMIT: u64 = 16 << 20;

/// Reads one file. `described` is the root's own rule for a missing description.
pub(super) fn read(
    agent: &AgentProfile,
    found: FoundSkill,
    described: Option<Missing>,
    notes: &mut Vec<String>,
) -> Result<Skill, Box<Loss>> {
    if let Some(parts) = of_head(agent, &found, described, notes) {
        return finish(found, Ok(parts));
    }
    let read = bytes(agent, &found.file, notes)
        .and_then(|bytes| skill(agent, &found, Extent::Whole(&bytes), described, notes));
    finish(found, read)
}

/// The skill as its head alone shows it, if the head is known and the rest of the file makes no difference.
fn of_head(
    agent: &AgentProfile,
    found: &FoundSkill,
    described: Option<Missing>,
    notes: &mut Vec<String>,
) -> Option<Parts> {
    let head = found.surroundings.as_ref()?.head.as_ref()?;
    if agent.frontmatter.max_bytes.is_some_and(|most| head.size > most) {
        return None;
    }
    let mut own_notes = Vec::new();
    let parts = skill(agent, found, Extent::Head(&head.text), described, &mut own_notes).ok()?;
    notes.extend(own_notes);
    Some(parts)
}

/// How much of a file is known.
#[derive(Clone, Copy)]
enum Extent<'a> {
    Whole(&'a [u8]),
    /// Everything through the frontmatter. An error is then no answer, because the rest is not known.
    Head(&'a str),
}

/// Reads one file whose bytes are not on the disk yet.
pub(super) fn read_bytes(agent: &AgentProfile, found: FoundSkill, bytes: &[u8]) -> Result<Skill, Box<Loss>> {
    let most = agent.frontmatter.max_bytes.unwrap_or(u64::MAX);
    let read = if bytes.len() as u64 > most {
        Err(too_large(agent, most))
    } else {
        skill(agent, &found, Extent::Whole(bytes), None, &mut Vec::new())
    };
    finish(found, read)
}

fn finish(found: FoundSkill, read: Result<Parts, Cause>) -> Result<Skill, Box<Loss>> {
    match read {
        Ok(Parts { name, label, description, when_to_use, listed, warnings }) => {
            Ok(Skill { found, name, label, description, when_to_use, listed, warnings })
        }
        Err(cause) => Err(Box::new(cause.lose(&found, None))),
    }
}

struct Parts {
    name: String,
    label: Option<String>,
    description: Option<String>,
    when_to_use: Option<String>,
    listed: Listed,
    warnings: Vec<String>,
}

fn skill(
    agent: &AgentProfile,
    found: &FoundSkill,
    extent: Extent<'_>,
    described: Option<Missing>,
    notes: &mut Vec<String>,
) -> Result<Parts, Cause> {
    let text = match extent {
        Extent::Whole(bytes) => text(agent, bytes)?,
        Extent::Head(text) => Cow::Borrowed(text),
    };
    let starts_with_fence = match extent {
        Extent::Whole(bytes) => bytes.starts_with(b"---"),
        Extent::Head(_) => true,
    };
    let text = match text {
        text if agent.frontmatter.line_ends == LineEnds::Normalised && text.contains('\r') => {
            text.replace("\r\n", "\n").replace('\r', "\n").into()
        }
        text => text,
    };
    let own_name = own_name(agent, found);
    let is_command = matches!(found.naming, Naming::Command(_));
    let (fields, body) = match fence::cuts(&text, &agent.frontmatter) {
        Ok(mut cuts) => {
            // The pattern of an agent's repair applies to the unchanged file.
            for cut in &mut cuts {
                cut.is_plain &= starts_with_fence;
            }
            (fields(agent, &cuts, found, notes)?, cuts[0].body)
        }
        Err(why) if matches!(extent, Extent::Head(_)) => return Err(no_frontmatter(agent, &text, why)),
        Err(_)
            if agent.frontmatter.missing == MissingFrontmatter::BodyOnly
                || (is_command && agent.commands.bare) =>
        {
            (Fields::default(), &*text)
        }
        Err(why) => return Err(no_frontmatter(agent, &text, why)),
    };
    let mut warnings = fields.warnings;
    let written = match found.naming {
        Naming::Command(_) if !agent.commands.named => own_name.clone(),
        _ if fields.is_code => own_name.clone(),
        _ => field::name(agent, &fields.name, &own_name)?,
    };
    let (name, label) = match agent.name.identity {
        Identity::Frontmatter => (written, None),
        Identity::Folder if found.naming == Naming::FolderUnlessNamed => (written, None),
        Identity::Folder if is_command => {
            // A command of a plugin has its folders before both names.
            let label = found.owner.as_ref().and_then(|_| command_label(&own_name, &fields.name));
            (own_name.clone(), label)
        }
        Identity::Folder => (own_name.clone(), Some(written).filter(|written| *written != own_name)),
    };
    let (description, mut listed) = if fields.is_code {
        (None, Listed::Model)
    } else {
        let body = matches!(extent, Extent::Whole(_)).then_some(body);
        let text = field::Described { value: &fields.description, body, is_command };
        field::description(agent, text, described)?
    };
    if let Value::Text(written) | Value::Scalar(written) = &fields.name
        && *written != name
        && label.is_none()
        && !is_command
    {
        warnings.push(format!("{} names it `{name}` instead of `{}`", agent.title, written.escape_debug()));
    }
    // A command does not wait for files.
    if let Some(why) = fields.hidden {
        listed = Listed::UserOnly(why);
    } else if let Some(why) = fields.waits.filter(|_| !is_command && listed == Listed::Model) {
        listed = Listed::Waits(why);
    }
    Ok(Parts { name, label, description, when_to_use: fields.when_to_use, listed, warnings })
}

/// The second name of a command: the name in its frontmatter, below the same folders.
fn command_label(own: &str, name: &Value) -> Option<String> {
    let (Value::Text(name) | Value::Scalar(name)) = name else { return None };
    let label = own.rsplit_once(':').map_or_else(|| name.clone(), |(above, _)| format!("{above}:{name}"));
    (label != own).then_some(label)
}

fn bytes(agent: &AgentProfile, file: &Path, notes: &mut Vec<String>) -> Result<Vec<u8>, Cause> {
    let title = &agent.title;
    let most = agent.frontmatter.max_bytes.unwrap_or(u64::MAX);
    let unreadable =
        |why: String| Cause::new(UnseenCode::Unreadable, format!("{title} cannot read the file: {why}"));
    match read_file(file, most.min(FILE_LIMIT)) {
        Ok(FileRead::Bytes(bytes, _)) => Ok(bytes),
        Ok(FileRead::TooLarge(_)) if most <= FILE_LIMIT => Err(too_large(agent, most)),
        Ok(FileRead::TooLarge(_)) => {
            notes.push(format!(
                "`{}` was not read: it is larger than the limit of this view, {FILE_LIMIT} bytes",
                file.display()
            ));
            let reason = format!("the file is larger than the limit of this view, {FILE_LIMIT} bytes");
            Err(Cause::new(UnseenCode::FileSize, reason))
        }
        Ok(FileRead::NotAFile | FileRead::Outside(_)) => {
            Err(unreadable("it is not a regular file".to_owned()))
        }
        Err(error) => Err(unreadable(error.to_string())),
    }
}

fn too_large(agent: &AgentProfile, most: u64) -> Cause {
    let reason = format!("{} does not read files larger than {most} bytes", agent.title);
    Cause::new(UnseenCode::FileSize, reason).fix("move text from SKILL.md to files beside it")
}

fn text<'a>(agent: &AgentProfile, bytes: &'a [u8]) -> Result<Cow<'a, str>, Cause> {
    let text = match (utf8(bytes), agent.frontmatter.encoding) {
        (Ok(text), _) => Cow::Borrowed(text),
        (Err(_), Encoding::Lossy) => String::from_utf8_lossy(bytes),
        (Err(error), Encoding::Strict) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = span_in(&before, before.len()..before.len()).line;
            let reason = format!("{} refuses the file: line {line} is not UTF-8", agent.title);
            return Err(Cause::new(UnseenCode::Encoding, reason).fix("save the file as UTF-8"));
        }
    };
    Ok(match (agent.frontmatter.bom, text) {
        (Mark::Strip, Cow::Borrowed(text)) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
        (Mark::Strip, Cow::Owned(text)) => {
            Cow::Owned(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
        }
        (Mark::Hides, text) => text,
    })
}

fn no_frontmatter(agent: &AgentProfile, text: &str, why: &str) -> Cause {
    let title = &agent.title;
    if text.starts_with('\u{feff}') {
        let reason = format!("{title} sees no frontmatter: there is a byte order mark before it");
        return Cause::new(UnseenCode::NoFrontmatter, reason)
            .fix("save the file as UTF-8 without a byte order mark");
    }
    Cause::new(UnseenCode::NoFrontmatter, format!("{title} sees no frontmatter: {why}"))
        .fix("start the file with a line `---` and close the frontmatter with another")
}

/// The name of a skill whose frontmatter does not set one.
fn own_name(agent: &AgentProfile, found: &FoundSkill) -> String {
    let part = match &found.naming {
        Naming::Folder | Naming::FolderUnlessNamed => found.shown(agent).parent().and_then(Path::file_name),
        Naming::StemUnlessNamed => found.file.file_stem(),
        Naming::Command(name) => return name.clone(),
    };
    part.map_or_else(|| "skill".to_owned(), |part| part.to_string_lossy().into_owned())
}

fn fields(
    agent: &AgentProfile,
    cuts: &[Cut<'_>],
    found: &FoundSkill,
    notes: &mut Vec<String>,
) -> Result<Fields, Cause> {
    let mut first: Option<Cause> = None;
    for cut in cuts {
        match fields_of(agent, cut, found, notes) {
            Ok(fields) => return Ok(fields),
            Err(cause) if agent.frontmatter.closer == Closer::First => return Err(cause),
            Err(cause) => first = first.or(Some(cause)),
        }
    }
    Err(first.unwrap_or_else(|| {
        Cause::new(UnseenCode::NoFrontmatter, format!("{} sees no frontmatter", agent.title))
    }))
}

fn fields_of(
    agent: &AgentProfile,
    cut: &Cut<'_>,
    found: &FoundSkill,
    notes: &mut Vec<String>,
) -> Result<Fields, Cause> {
    let title = &agent.title;
    if cut.frontmatter.len() > FRONTMATTER_LIMIT {
        let file = found.file.display();
        notes.push(format!(
            "the frontmatter of `{file}` was not read: it is larger than the limit of this view, {FRONTMATTER_LIMIT} bytes"
        ));
        let reason =
            format!("the frontmatter is larger than the limit of this view, {FRONTMATTER_LIMIT} bytes");
        return Err(Cause::new(UnseenCode::Frontmatter, reason));
    }
    let fault = |fault: Fault| {
        let place = fault.line.map_or_else(String::new, |line| format!("line {}: ", line + cut.lines));
        let reason = format!("{title} cannot read the frontmatter: {place}{}", fault.message);
        Cause { fix: fault.help, ..Cause::new(UnseenCode::Frontmatter, reason) }
    };
    match cut.language {
        Language::Yaml => match parse::read(agent, cut) {
            Err(found_fault) if found_fault.our_bound => {
                notes.push(format!(
                    "the frontmatter of `{}` is too complex for this view",
                    found.file.display()
                ));
                Err(fault(found_fault))
            }
            result => result.map_err(fault),
        },
        Language::Json => parse::json(cut.frontmatter).map_err(fault),
        Language::Code => {
            let file = found.file.display();
            let warning = format!(
                "DANGER: the frontmatter is JavaScript, and {title} runs it as soon as it lists skills; it was not run \
                 here, so its name and description are not known"
            );
            notes.push(format!(
                "DANGER: {title} runs the code in the frontmatter of `{file}` when it lists skills"
            ));
            Ok(Fields { is_code: true, warnings: vec![warning], ..Fields::default() })
        }
        Language::Unknown(word) => {
            let reason =
                format!("{title} reads `{word}` after the first `---` as a language that it does not know");
            Err(Cause::new(UnseenCode::Frontmatter, reason).fix("write the first line as `---`"))
        }
    }
}
