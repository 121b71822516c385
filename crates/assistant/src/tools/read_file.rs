//! `read_file`: numbered lines of a file. Reads no more of the file than it needs.

use super::{
    arguments::Arguments,
    content::{self, size},
    disk::{self, Opened},
    path_access::PathRules,
    real_path::{display_path, resolve_argument},
    spec,
};
use crate::{
    image::{self, Image},
    tool::{Effect, Output, RESULT_LIMIT, Tool, ToolPlan},
    tool_environment::ToolEnvironment,
};
use serde_json::{Map, Value, json};
use skillful_llm::{Cancel, ToolSpec};
use std::io::{BufRead, BufReader, Read};

/// Most lines of one call.
const LINES: usize = 2_000;
/// Most bytes of a line that are shown.
const LINE: usize = 2_000;
/// Bytes of a result before its closing note.
const SHOWN: usize = RESULT_LIMIT - 1024;
/// Most bytes that are skipped before the first line.
const PASSED: u64 = 1 << 30;
/// Lines between two checks for cancellation.
const LOOK_UP: usize = 4_096;

/// Reads a file.
pub(super) struct ReadFile;

impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "path": { "type": "string", "description": "Relative to the working folder, absolute, or ~/…" },
            "offset": { "type": "integer", "minimum": 1, "description": "First line, from 1." },
            "limit": { "type": "integer", "minimum": 1, "maximum": LINES },
        });
        spec("read_file", include_str!("../../prompts/tools/read_file.md"), &schema, &["path"])
    }

    fn plan<'a>(
        &'a self,
        arguments: &Map<String, Value>,
        env: &'a ToolEnvironment<'a>,
    ) -> Result<ToolPlan<'a>, String> {
        let arguments = Arguments::new(arguments, &["path", "offset", "limit"])?;
        let path = resolve_argument(env, arguments.text("path")?)?;
        let first = arguments.number("offset", 1..=usize::MAX, 1)?;
        let limit = arguments.number("limit", 1..=LINES, LINES)?;
        let access = PathRules::of(env).reading(&path);
        let name = display_path(env, &path);
        let why = access.why.map(|why| format!(" ({why})")).unwrap_or_default();
        let work = {
            let (path, name) = (path.clone(), name.clone());
            move || match disk::open(&path) {
                Ok(opened) => read(&name, opened, first, limit, &env.cancel),
                Err(error) => Output::failed(format!("`{name}` was not read: {error}")),
            }
        };
        Ok(ToolPlan {
            summary: format!("read {name}{why}"),
            effects: vec![Effect::Read(path)],
            reach: access.reach,
            preview: None,
            parallel: true,
            work: Box::new(work),
        })
    }
}

fn read(name: &str, opened: Opened, first: usize, limit: usize, cancel: &Cancel) -> Output {
    let size_of_all = opened.size;
    let mut reader = BufReader::with_capacity(64 << 10, opened.file);
    let failed = |error: std::io::Error| Output::failed(format!("`{name}` was not read to its end: {error}"));
    match reader.fill_buf() {
        Ok(head) => {
            if image::media_type(head).is_some() && size_of_all <= image::LARGEST {
                return shown(name, reader, size_of_all);
            }
            if let Some(kind) = content::kind(head) {
                let size = size(size_of_all);
                return Output::ok(format!(
                    "`{name}` is {kind} of {size} and not shown. run_command can look into it."
                ));
            }
        }
        Err(error) => return failed(error),
    }
    let (mut text, mut number, mut position) = (String::new(), 0, 0_u64);
    let (mut shown, mut crlf, mut at_end) = (0, false, false);
    while shown < limit && text.len() < SHOWN {
        let keep = number + 1 >= first;
        let line = match line(&mut reader, if keep { LINE } else { 0 }) {
            Ok(Some(line)) => line,
            Ok(None) => {
                at_end = true;
                break;
            }
            Err(error) => return failed(error),
        };
        number += 1;
        if keep {
            let Some(cut) = utf8(&line) else {
                let size = size(size_of_all);
                return Output::ok(format!(
                    "`{name}` ({size}) is not UTF-8 at line {number} and not shown. run_command can convert it."
                ));
            };
            let cut = cut.strip_suffix('\r').inspect(|_| crlf = true).unwrap_or(cut);
            let more = line.length - line.kept.len() as u64;
            let entry = match more {
                0 => format!("{number:>6}\t{cut}\n"),
                more => format!("{number:>6}\t{cut}… ({more} more bytes in this line)\n"),
            };
            if text.len() + entry.len() > SHOWN {
                number -= 1;
                break;
            }
            text.push_str(&entry);
            shown += 1;
        } else if position > PASSED {
            return Output::failed(format!(
                "`{name}` has more than {} before line {first}; use run_command to look that far",
                size(PASSED)
            ));
        }
        position += line.length + u64::from(line.ended);
        if number % LOOK_UP == 0 && cancel.is_cancelled() {
            return Output::failed("the user cancelled the call");
        }
    }
    at_end = at_end || reader.fill_buf().is_ok_and(<[u8]>::is_empty);
    if shown == 0 && at_end {
        return match number {
            0 => Output::ok(format!("`{name}` is empty.")),
            lines => Output::failed(format!("`{name}` has {lines} lines; there is no line {first}")),
        };
    }
    let mut cut = 0;
    if !at_end {
        let left = size_of_all.saturating_sub(position);
        cut = usize::try_from(left).unwrap_or(usize::MAX);
        text.push_str(&format!("({} left; continue with offset {})\n", size(left), number + 1));
    }
    if crlf {
        text.push_str("(lines end with CRLF; edit_file keeps that)\n");
    }
    Output { cut, ..Output::ok(text) }
}

/// An image for the model.
fn shown(name: &str, reader: impl Read, bytes: u64) -> Output {
    let mut data = Vec::new();
    match reader.take(image::LARGEST).read_to_end(&mut data) {
        Ok(_) => {
            let image = Image::new(&data);
            Output { image, ..Output::ok(format!("`{name}` is an image of {}, which follows.", size(bytes))) }
        }
        Err(error) => Output::failed(format!("`{name}` was not read to its end: {error}")),
    }
}

struct Line {
    kept: Vec<u8>,
    /// Bytes without the end of the line.
    length: u64,
    /// Whether a line end was read.
    ended: bool,
}

/// The next line, of which at most `keep` bytes are kept.
fn line(reader: &mut impl BufRead, keep: usize) -> std::io::Result<Option<Line>> {
    let mut line = Line { kept: Vec::new(), length: 0, ended: false };
    loop {
        let chunk = match reader.fill_buf() {
            Ok([]) => return Ok((line.length > 0).then_some(line)),
            Ok(chunk) => chunk,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        let room = keep.saturating_sub(line.kept.len()).min(part.len());
        line.kept.extend_from_slice(&part[..room]);
        line.length += part.len() as u64;
        line.ended = end.is_some();
        let used = part.len() + usize::from(line.ended);
        reader.consume(used);
        if line.ended {
            return Ok(Some(line));
        }
    }
}

/// The line as text, if it is UTF-8. A character that is cut at the end is ignored.
fn utf8(line: &Line) -> Option<&str> {
    match std::str::from_utf8(&line.kept) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() && (line.kept.len() as u64) < line.length => {
            std::str::from_utf8(&line.kept[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    }
}
