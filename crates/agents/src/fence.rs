//! Finds the start and the end of the frontmatter as an agent does.

#[cfg(test)]
mod tests;

use skillful_profiles::{Closer, EmptyBlock, Fence, FrontmatterRule, Unclosed};

/// Maximum number of closing fences that are tried, for agents that try more than one.
const MOST_TRIES: usize = 64;

/// Frontmatter with its position in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut<'a> {
    pub(super) frontmatter: &'a str,
    pub(super) body: &'a str,
    /// Number of lines before the frontmatter.
    pub(super) lines: u32,
    pub(super) language: Language<'a>,
    /// Whether the first line is a bare `---` and a closing fence was found.
    pub(super) is_plain: bool,
}

/// The language of the frontmatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language<'a> {
    Yaml,
    Json,
    /// JavaScript, which the agent executes.
    Code,
    /// A language that the agent does not know.
    Unknown(&'a str),
}

/// The possible frontmatter blocks of a file, in the order in which they are tried; or why it has
/// none.
pub(super) fn cuts<'a>(text: &'a str, rule: &FrontmatterRule) -> Result<Vec<Cut<'a>>, &'static str> {
    if rule.opening == Fence::Anywhere {
        return anywhere(text);
    }
    let (start, language) = opening(text, rule.opening)?;
    let lines = u32::try_from(text[..start].matches('\n').count()).unwrap_or(u32::MAX);
    let is_bare = text.lines().next() == Some("---");
    let cut = |end: usize, body: usize, closed: bool| {
        let frontmatter = text[start..end].trim_end_matches('\r');
        Cut { frontmatter, body: &text[body..], lines, language, is_plain: is_bare && closed }
    };

    if rule.closing == Fence::Anywhere {
        let Some(end) = text[start..].find("---").map(|length| start + length) else {
            return Err("the frontmatter has no closing fence");
        };
        let rest = text[end + 3..].trim_start_matches([' ', '\t', '\r']);
        let body = text.len() - rest.strip_prefix('\n').unwrap_or(rest).len();
        return Ok(vec![cut(end, body, true)]);
    }

    let mut cuts = Vec::new();
    let mut at = start;
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        let first = at == start;
        if closes(&text[at..end], rule.closing) && !(first && rule.empty == EmptyBlock::Text) {
            if first && rule.empty == EmptyBlock::NoFrontmatter {
                return Err("nothing is between the fences");
            }
            // The line end before the closing fence belongs to the fence.
            cuts.push(cut(at.saturating_sub(1).max(start), (end + 1).min(text.len()), true));
            if rule.closer == Closer::First || cuts.len() == MOST_TRIES {
                break;
            }
        }
        at = end + 1;
    }
    match rule.unclosed {
        Unclosed::WholeFile if cuts.is_empty() => Ok(vec![cut(text.len(), text.len(), false)]),
        _ if cuts.is_empty() => Err("the frontmatter has no closing fence"),
        _ => Ok(cuts),
    }
}

/// The text between the first two `---` anywhere in the file.
fn anywhere(text: &str) -> Result<Vec<Cut<'_>>, &'static str> {
    let mut parts = text.splitn(3, "---");
    let (Some(before), Some(frontmatter), Some(body)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("the file does not contain two `---`");
    };
    let lines = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX);
    Ok(vec![Cut { frontmatter, body, lines, language: Language::Yaml, is_plain: false }])
}

/// The offset at which the frontmatter starts, and its language.
fn opening(text: &str, fence: Fence) -> Result<(usize, Language<'_>), &'static str> {
    const NO_FENCE: &str = "the first line is not `---`";
    let skipped = match fence {
        Fence::AfterBlankLines => text.len() - text.trim_start().len(),
        Fence::AnyLine => fence_line(text).ok_or(NO_FENCE)?,
        Fence::Hyphens => {
            text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum()
        }
        _ => 0,
    };
    let Some(length) = text[skipped..].find('\n') else { return Err(NO_FENCE) };
    let line = &text[skipped..skipped + length];
    let bare = line.strip_suffix('\r').unwrap_or(line);
    let start = skipped + length + 1;
    let opens = match fence {
        Fence::Exact | Fence::AfterBlankLines => bare == "---",
        Fence::TrailingSpaces | Fence::AnyLine => bare.trim_end_matches([' ', '\t']) == "---",
        Fence::Trimmed => bare.trim() == "---",
        Fence::Hyphens => is_hyphens(bare),
        Fence::Prefix | Fence::Anywhere => bare.starts_with("---"),
        Fence::Language => match bare.strip_prefix("---") {
            // Without a language name, the rest of the line is part of the frontmatter.
            Some(word) if word.trim().is_empty() => return Ok((3, Language::Yaml)),
            Some(word) if !word.starts_with('-') => return Ok((start, language(word.trim()))),
            _ => false,
        },
    };
    if opens { Ok((start, Language::Yaml)) } else { Err(NO_FENCE) }
}

/// The offset of the first line that is a fence.
fn fence_line(text: &str) -> Option<usize> {
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        closes(line.trim_end_matches('\n'), Fence::AnyLine).then_some(start)
    })
}

fn language(word: &str) -> Language<'_> {
    match word.to_ascii_lowercase().as_str() {
        "" | "yaml" | "yml" => Language::Yaml,
        "json" => Language::Json,
        "js" | "javascript" => Language::Code,
        _ => Language::Unknown(word),
    }
}

/// Whether a line is three or more hyphens and then spaces.
fn is_hyphens(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'-')
}

fn closes(line: &str, fence: Fence) -> bool {
    let bare = line.strip_suffix('\r').unwrap_or(line);
    match fence {
        Fence::Exact => bare == "---",
        Fence::Trimmed => bare.trim() == "---",
        Fence::Prefix => bare.starts_with("---"),
        Fence::Hyphens => is_hyphens(bare),
        Fence::TrailingSpaces
        | Fence::AnyLine
        | Fence::AfterBlankLines
        | Fence::Language
        | Fence::Anywhere => bare.trim_end_matches([' ', '\t']) == "---",
    }
}
