//! `grep`: finds lines of files by a regular expression, in linear time.

use super::{
    arguments::Arguments,
    content, disk,
    glob::matcher,
    path_access::{PathRules, holds_variables, is_key},
    real_path::{display_path, printable, resolve_argument},
    spec,
    walk::{self, WalkEnd, walk},
};
use crate::{
    tool::{Effect, Output, RESULT_LIMIT, Tool, ToolPlan},
    tool_environment::ToolEnvironment,
};
use globset::GlobMatcher;
use regex::bytes::{Regex, RegexBuilder};
use serde_json::{Map, Value, json};
use skillful_llm::ToolSpec;
use std::path::Path;

/// Most bytes of a pattern.
const PATTERN: usize = 4_096;
/// Most bytes of a compiled pattern.
const COMPILED: usize = 4 << 20;
/// Matching lines: default and maximum.
const MATCHES: (usize, usize) = (100, 1_000);
/// Most context lines around a match.
const CONTEXT: usize = 10;
/// Most bytes of a file that is searched.
const LARGEST: usize = 8 << 20;
/// Most bytes of all files together.
const ALL: usize = 512 << 20;
/// Characters of a line that are shown.
const LINE: usize = 400;
/// Bytes of a result before its closing note.
const SHOWN: usize = RESULT_LIMIT - 1024;

/// Searches in files.
pub(super) struct Grep;

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "pattern": { "type": "string", "description": "Regular expression (no look-around), matched per line." },
            "path": { "type": "string", "description": "File or folder." },
            "glob": { "type": "string", "description": "Only these files, such as *.rs" },
            "context": { "type": "integer", "minimum": 0, "maximum": CONTEXT, "description": "Lines around each match." },
            "ignore_case": { "type": "boolean" },
            "max": { "type": "integer", "minimum": 1, "maximum": MATCHES.1, "description": "Matching lines, 100 by default." },
        });
        spec("grep", include_str!("../../prompts/tools/grep.md"), &schema, &["pattern"])
    }

    fn plan<'a>(
        &'a self,
        arguments: &Map<String, Value>,
        env: &'a ToolEnvironment<'a>,
    ) -> Result<ToolPlan<'a>, String> {
        let arguments =
            Arguments::new(arguments, &["pattern", "path", "glob", "context", "ignore_case", "max"])?;
        let pattern = arguments.text("pattern")?;
        if pattern.is_empty() || pattern.len() > PATTERN {
            return Err(format!("the argument `pattern` must have from 1 to {PATTERN} bytes"));
        }
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(arguments.flag("ignore_case")?)
            .size_limit(COMPILED)
            .dfa_size_limit(COMPILED)
            .build()
            .map_err(|error| format!("the argument `pattern` must be a regular expression: {error}"))?;
        let search = Search {
            regex,
            only: arguments.maybe_text("glob")?.map(|glob| matcher("glob", glob)).transpose()?,
            context: arguments.number("context", 0..=CONTEXT, 0)?,
            max: arguments.number("max", 1..=MATCHES.1, MATCHES.0)?,
        };
        let path = resolve_argument(env, arguments.maybe_text("path")?.unwrap_or("."))?;
        let name = display_path(env, &path);
        let access = PathRules::of(env).reading(&path);
        let why = access.why.map(|why| format!(" ({why})")).unwrap_or_default();
        let summary = format!("search for {} in {name}{why}", content::head(&printable(pattern), LINE));
        let work = {
            let path = path.clone();
            move || match walk::root(&path, &name, true) {
                Ok(root) => search.run(env, &root),
                Err(why) => Output::failed(why),
            }
        };
        Ok(ToolPlan {
            summary,
            reach: access.reach,
            effects: vec![Effect::Read(path)],
            preview: None,
            parallel: true,
            work: Box::new(work),
        })
    }
}

struct Search {
    regex: Regex,
    only: Option<GlobMatcher>,
    context: usize,
    max: usize,
}

#[derive(Default)]
struct Matches {
    text: String,
    lines: usize,
    files: usize,
    bytes: usize,
    large: usize,
    keys: usize,
    full: bool,
}

impl Search {
    fn run(&self, env: &ToolEnvironment<'_>, root: &Path) -> Output {
        let mut found = Matches::default();
        let end = walk(root, usize::MAX, &env.cancel, |met| {
            let wanted = met.is_file && self.only.as_ref().is_none_or(|only| only.is_match(met.below));
            if !wanted {
                return true;
            }
            // Naming such a file is another call with a wider reach; below a folder they are skipped.
            if (is_key(met.path) || holds_variables(met.path)) && met.depth > 0 {
                found.keys += 1;
                return true;
            }
            self.file(&display_path(env, met.path), met.path, &mut found);
            !found.full
        });
        found.into_output(end, self.max)
    }

    fn file(&self, name: &str, path: &Path, found: &mut Matches) {
        let bytes = match disk::open(path).and_then(|opened| opened.whole(LARGEST)) {
            Ok(bytes) => bytes,
            Err(disk::DiskError::TooLarge(..)) => {
                found.large += 1;
                return;
            }
            Err(_) => return,
        };
        found.bytes += bytes.len();
        if found.bytes > ALL {
            found.full = true;
            return;
        }
        if content::kind(&bytes).is_some() || bytes.is_empty() {
            return;
        }
        let lines: Vec<&[u8]> =
            bytes.strip_suffix(b"\n").unwrap_or(&bytes).split(|byte| *byte == b'\n').collect();
        let plain = |line: &'_ [u8]| line.strip_suffix(b"\r").map_or(line.len(), <[u8]>::len);
        // The last line written, so that context lines of two matches are printed once.
        let mut shown_to = 0;
        let mut any = false;
        for (at, line) in lines.iter().enumerate() {
            if !self.regex.is_match(&line[..plain(line)]) {
                continue;
            }
            if found.lines >= self.max || found.text.len() > SHOWN {
                found.full = true;
                return;
            }
            found.lines += 1;
            found.files += usize::from(!any);
            let from = at.saturating_sub(self.context).max(shown_to);
            if self.context > 0 && !found.text.is_empty() && (!any || from > shown_to) {
                found.text.push_str("--\n");
            }
            any = true;
            let to = (at + self.context + 1).min(lines.len());
            for (number, line) in lines.iter().enumerate().take(to).skip(from) {
                let line = &line[..plain(line)];
                let mark = if number == at || self.regex.is_match(line) { ':' } else { '-' };
                // A later match is written in its own iteration.
                if number > at && mark == ':' {
                    shown_to = number;
                    break;
                }
                found.text.push_str(&format!("{name}{mark}{}{mark}{}\n", number + 1, cut(line)));
                shown_to = number + 1;
            }
        }
    }
}

impl Matches {
    fn into_output(self, end: WalkEnd, max: usize) -> Output {
        let mut text = self.text;
        if self.lines == 0 {
            text.push_str("Nothing matches.\n");
        }
        let more = match () {
            () if self.bytes > ALL => {
                format!("stopped after {}; name a narrower path", content::size(ALL as u64))
            }
            () if self.lines >= max => {
                format!("more than {max} lines match; narrow the pattern, or set `max`")
            }
            () => "more lines match than can be shown; narrow the pattern or the path".to_owned(),
        };
        if let Some(words) = walk::end_note(end, &more) {
            text.push_str(&words);
            text.push('\n');
        }
        if self.large > 0 {
            let largest = content::size(LARGEST as u64);
            let (files, were) = files(self.large);
            text.push_str(&format!("({files} larger than {largest} {were} not searched)\n"));
        }
        if self.keys > 0 {
            let (files, were) = files(self.keys);
            text.push_str(&format!("({files} that may hold keys {were} not searched; name one as `path`)\n"));
        }
        Output::ok(text)
    }
}

/// A number of files, and the verb for it.
fn files(count: usize) -> (String, &'static str) {
    if count == 1 { ("1 file".to_owned(), "was") } else { (format!("{count} files"), "were") }
}

/// A line as text, cut to the limit.
fn cut(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(LINE * 4)]);
    let mut short: String = text.chars().take(LINE).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}
