//! From a file to a skill, as the agent reads it: bytes, fences, values, rules for values.

use super::{
    Listed, UnseenCode,
    dialect::{Fault, Value},
    fence::{self, Cut, Language},
    field,
    mend::{self, Fields},
    skill::{Cause, Found, Loss, Naming, Skill},
};
use skillful_catalog::folder::{FileRead, Folder};
use skillful_format::source::{HEADER_LIMIT, span_in};
use skillful_profiles::{AgentProfile, Closer, Encoding, Mark, Missing, MissingHeader};
use std::{borrow::Cow, path::Path};

/// A file larger than this is not read, whatever the agent does.
const FILE_LIMIT: u64 = 16 << 20;

/// Reads one file. `described` is the root's own rule for a missing description.
pub(super) fn read(
    agent: &AgentProfile,
    found: Found,
    described: Option<Missing>,
    notes: &mut Vec<String>,
) -> Result<Skill, Box<Loss>> {
    match skill(agent, &found, described, notes) {
        Ok((name, description, listed, warnings)) => Ok(Skill { found, name, description, listed, warnings }),
        Err(cause) => Err(Box::new(cause.lose(&found, None))),
    }
}

type Parts = (String, Option<String>, Listed, Vec<String>);

fn skill(
    agent: &AgentProfile,
    found: &Found,
    described: Option<Missing>,
    notes: &mut Vec<String>,
) -> Result<Parts, Cause> {
    let bytes = bytes(agent, &found.file, notes)?;
    let text = text(agent, &bytes)?;
    let own_name = own_name(agent, found);
    let (fields, body) = match fence::cuts(&text, &agent.header) {
        Ok(mut cuts) => {
            // The pattern of an agent's repair looks at the file as it is.
            for cut in &mut cuts {
                cut.is_plain &= bytes.starts_with(b"---");
            }
            (fields(agent, &cuts, found, notes)?, cuts[0].body)
        }
        Err(_) if agent.header.missing == MissingHeader::BodyOnly => (Fields::default(), &*text),
        Err(why) => return Err(no_header(agent, &text, why)),
    };
    let mut warnings = fields.warnings;
    let name = match found.naming {
        Naming::Stem => own_name,
        Naming::Folder | Naming::StemUnlessNamed if fields.is_code => own_name,
        Naming::Folder | Naming::StemUnlessNamed => field::name(agent, &fields.name, &own_name)?,
    };
    let (description, mut listed) = if fields.is_code {
        (None, Listed::Model)
    } else {
        field::description(agent, &fields.description, described, body)?
    };
    if let Value::Text(written) | Value::Scalar(written) = &fields.name
        && *written != name
        && found.naming != Naming::Stem
    {
        warnings.push(format!("{} calls it `{name}` instead of `{}`", agent.title, written.escape_debug()));
    }
    if let Some(key) = fields.hidden_by {
        listed = Listed::Nobody(format!("`{key}` is true"));
    }
    Ok((name, description, listed, warnings))
}

fn bytes(agent: &AgentProfile, file: &Path, notes: &mut Vec<String>) -> Result<Vec<u8>, Cause> {
    let title = &agent.title;
    let most = agent.header.max_bytes.unwrap_or(u64::MAX);
    let unreadable =
        |why: String| Cause::new(UnseenCode::Unreadable, format!("{title} cannot read the file: {why}"));
    let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else {
        return Err(unreadable("it has no name".to_owned()));
    };
    let folder = Folder::open(folder).map_err(|error| unreadable(error.to_string()))?;
    match folder.read(name, most.min(FILE_LIMIT)) {
        Ok(FileRead::Bytes(bytes, _)) => Ok(bytes),
        Ok(FileRead::TooLarge(_)) if most <= FILE_LIMIT => {
            let reason = format!("{title} does not read files larger than {most} bytes");
            Err(Cause::new(UnseenCode::FileSize, reason).fix("move text from SKILL.md to files beside it"))
        }
        Ok(FileRead::TooLarge(_)) => {
            notes.push(format!(
                "`{}` is larger than {FILE_LIMIT} bytes, so the view did not read it",
                file.display()
            ));
            let reason = format!("the file is larger than {FILE_LIMIT} bytes, more than this view reads");
            Err(Cause::new(UnseenCode::FileSize, reason))
        }
        Ok(FileRead::NotAFile) => Err(unreadable("it is not a regular file".to_owned())),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

fn text<'a>(agent: &AgentProfile, bytes: &'a [u8]) -> Result<Cow<'a, str>, Cause> {
    let text = match (std::str::from_utf8(bytes), agent.header.encoding) {
        (Ok(text), _) => Cow::Borrowed(text),
        (Err(_), Encoding::Lossy) => String::from_utf8_lossy(bytes),
        (Err(error), Encoding::Strict) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = span_in(&before, before.len()..before.len()).line;
            let reason = format!("{} refuses the file: line {line} is not UTF-8", agent.title);
            return Err(Cause::new(UnseenCode::Encoding, reason).fix("save the file as UTF-8"));
        }
    };
    Ok(match (agent.header.bom, text) {
        (Mark::Strip, Cow::Borrowed(text)) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
        (Mark::Strip, Cow::Owned(text)) => {
            Cow::Owned(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
        }
        (Mark::Hides, text) => text,
    })
}

fn no_header(agent: &AgentProfile, text: &str, why: &str) -> Cause {
    let title = &agent.title;
    if text.starts_with('\u{feff}') {
        let reason = format!("{title} sees no header: a byte order mark stands before it");
        return Cause::new(UnseenCode::NoHeader, reason)
            .fix("save the file as UTF-8 without a byte order mark");
    }
    Cause::new(UnseenCode::NoHeader, format!("{title} sees no header: {why}"))
        .fix("start the file with a line `---` and close the header with another")
}

/// The name of a skill that has none of its own.
fn own_name(agent: &AgentProfile, found: &Found) -> String {
    let part = match found.naming {
        Naming::Folder => found.shown(agent).parent().and_then(Path::file_name),
        Naming::StemUnlessNamed | Naming::Stem => found.file.file_stem(),
    };
    part.map_or_else(|| "skill".to_owned(), |part| part.to_string_lossy().into_owned())
}

fn fields(
    agent: &AgentProfile,
    cuts: &[Cut<'_>],
    found: &Found,
    notes: &mut Vec<String>,
) -> Result<Fields, Cause> {
    let mut first: Option<Cause> = None;
    for cut in cuts {
        match fields_of(agent, cut, found, notes) {
            Ok(fields) => return Ok(fields),
            Err(cause) if agent.header.closer == Closer::First => return Err(cause),
            Err(cause) => first = first.or(Some(cause)),
        }
    }
    Err(first.unwrap_or_else(|| Cause::new(UnseenCode::NoHeader, format!("{} sees no header", agent.title))))
}

fn fields_of(
    agent: &AgentProfile,
    cut: &Cut<'_>,
    found: &Found,
    notes: &mut Vec<String>,
) -> Result<Fields, Cause> {
    let title = &agent.title;
    if cut.header.len() > HEADER_LIMIT {
        let file = found.file.display();
        notes.push(format!(
            "the header of `{file}` is larger than {HEADER_LIMIT} bytes, so the view did not read it"
        ));
        let reason = format!("the header is larger than {HEADER_LIMIT} bytes, more than this view reads");
        return Err(Cause::new(UnseenCode::Header, reason));
    }
    let fault = |fault: Fault| {
        let place = fault.line.map_or_else(String::new, |line| format!("line {}: ", line + cut.lines));
        let reason = format!("{title} cannot read the header: {place}{}", fault.message);
        Cause { fix: fault.help, ..Cause::new(UnseenCode::Header, reason) }
    };
    match cut.language {
        Language::Yaml => match mend::read(agent, cut) {
            Err(found_fault) if found_fault.our_bound => {
                notes.push(format!(
                    "the header of `{}` goes beyond what the view reads",
                    found.file.display()
                ));
                Err(fault(found_fault))
            }
            result => result.map_err(fault),
        },
        Language::Json => mend::json(cut.header).map_err(fault),
        Language::Code => {
            let file = found.file.display();
            let warning = format!(
                "DANGER: the header is JavaScript, and {title} runs it as soon as it lists skills; it was not run \
                 here, so its name and description are not known"
            );
            notes.push(format!(
                "DANGER: {title} runs the code in the header of `{file}` when it lists skills"
            ));
            Ok(Fields { is_code: true, warnings: vec![warning], ..Fields::default() })
        }
        Language::Unknown(word) => {
            let reason =
                format!("{title} takes `{word}` after the first `---` for a language it does not know");
            Err(Cause::new(UnseenCode::Header, reason).fix("write the first line as `---`"))
        }
    }
}
