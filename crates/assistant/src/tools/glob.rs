//! `glob`: finds files by path.

use super::{
    arguments::Arguments,
    path_access::PathRules,
    real_path::{display_path, printable, resolve_argument},
    spec,
    walk::{self, walk},
};
use crate::{
    tool::{Effect, Output, RESULT_LIMIT, Tool, ToolPlan},
    tool_environment::ToolEnvironment,
};
use globset::{GlobBuilder, GlobMatcher};
use serde_json::{Map, Value, json};
use skillful_llm::{Cancel, ToolSpec};
use std::path::Path;

/// Most paths in a result.
const PATHS: usize = 500;
/// Most bytes of a pattern.
const PATTERN: usize = 1_000;
/// Bytes of a result before its closing note.
const SHOWN: usize = RESULT_LIMIT - 512;

/// Finds files by their paths.
pub(super) struct Glob;

impl Tool for Glob {
    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "pattern": { "type": "string", "description": "Such as *.rs (at any depth) or src/**/*.{ts,tsx}" },
            "path": { "type": "string", "description": "Folder to look in." },
        });
        spec("glob", include_str!("../../prompts/tools/glob.md"), &schema, &["pattern"])
    }

    fn plan<'a>(
        &'a self,
        arguments: &Map<String, Value>,
        env: &'a ToolEnvironment<'a>,
    ) -> Result<ToolPlan<'a>, String> {
        let arguments = Arguments::new(arguments, &["pattern", "path"])?;
        let pattern = arguments.text("pattern")?;
        let matcher = matcher("pattern", pattern)?;
        let path = resolve_argument(env, arguments.maybe_text("path")?.unwrap_or("."))?;
        let name = display_path(env, &path);
        let summary = format!("find {} in {name}", printable(pattern));
        let work = {
            let path = path.clone();
            move || match walk::root(&path, &name, false) {
                Ok(root) => find(env, &root, &matcher, &env.cancel),
                Err(why) => Output::failed(why),
            }
        };
        Ok(ToolPlan {
            summary,
            reach: PathRules::of(env).reading(&path).reach,
            effects: vec![Effect::Read(path)],
            preview: None,
            parallel: true,
            work: Box::new(work),
        })
    }
}

/// Compiles a pattern of paths below a folder. Without a `/` it matches names at any depth.
pub(super) fn matcher(argument: &str, pattern: &str) -> Result<GlobMatcher, String> {
    let bad =
        |why: &str| format!("the argument `{argument}` must be a pattern such as src/**/*.rs, and {why}");
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    if pattern.is_empty() || pattern.len() > PATTERN {
        return Err(bad(&format!("it is empty or longer than {PATTERN} bytes")));
    }
    if pattern.starts_with(['/', '~']) || pattern.split('/').any(|part| part == "..") {
        return Err(bad("it leaves the folder; name that folder as `path`"));
    }
    let deep = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    let glob =
        GlobBuilder::new(&deep).literal_separator(true).build().map_err(|error| bad(&error.to_string()))?;
    Ok(glob.compile_matcher())
}

fn find(env: &ToolEnvironment<'_>, root: &Path, matcher: &GlobMatcher, cancel: &Cancel) -> Output {
    let (mut text, mut count) = (String::new(), 0);
    let end = walk(root, usize::MAX, cancel, |met| {
        if met.is_folder || !matcher.is_match(met.below) {
            return true;
        }
        if count >= PATHS || text.len() > SHOWN {
            return false;
        }
        count += 1;
        text.push_str(&display_path(env, met.path));
        text.push('\n');
        true
    });
    if count == 0 {
        text.push_str("No file matches.\n");
    }
    if let Some(words) =
        walk::end_note(end, &format!("more than {count} match; narrow the pattern or the path"))
    {
        text.push_str(&words);
    }
    Output::ok(text)
}
