//! Patterns of paths: `src/**`, `/etc/agents`, `~/notes/*`.
//!
//! Only spelling is judged here. The code that opens the file does it through the handle of a folder, so
//! that a link cannot lead elsewhere.

use super::unproven::Unproven;
use globset::{GlobBuilder, GlobMatcher};
use skillful_shell::Unreadable;
use unicode_normalization::UnicodeNormalization;

/// A path longer than this is not read.
pub const PATH_LIMIT: usize = 4_096;

/// Where relative paths start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathBase {
    /// The working folder, absolute.
    pub folder: String,
    /// The user's folder, for patterns that start with `~/`.
    pub home: Option<String>,
}

/// What is inside the parentheses of a grant for files.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    /// The pattern as an absolute path.
    absolute: String,
    exact_case: GlobMatcher,
    any_case: GlobMatcher,
}

impl PathPattern {
    /// Reads a pattern; one with `..` or bad syntax matches nothing, and the caller reports it.
    pub(crate) fn read(pattern: &str, place: &PathBase) -> Option<Self> {
        let pattern = pattern.trim();
        let absolute = if let Some(rest) = pattern.strip_prefix("~/") {
            format!("{}/{rest}", globset::escape(place.home.as_deref()?))
        } else if pattern.starts_with('/') {
            pattern.to_owned()
        } else {
            format!("{}/{pattern}", globset::escape(&place.folder))
        };
        let sound = !pattern.is_empty() && pattern.len() <= PATH_LIMIT && absolute.starts_with('/');
        let absolute = tidy(&absolute).filter(|_| sound)?;
        let glob = |any_case: bool| {
            let mut builder = GlobBuilder::new(&absolute);
            builder.literal_separator(true).case_insensitive(any_case).backslash_escape(true);
            builder.build().ok().map(|glob| glob.compile_matcher())
        };
        let (exact_case, any_case) = (glob(false)?, glob(true)?);
        Some(Self { absolute, exact_case, any_case })
    }

    /// Whether it lets this path through. The path comes from [`resolve`].
    pub(crate) fn allows(&self, path: &str) -> bool {
        self.exact_case.is_match(path)
    }

    /// Whether it can mean this path, for a list of what is forbidden: some disks ignore case.
    pub(crate) fn may_mean(&self, path: &str) -> bool {
        self.any_case.is_match(path)
    }

    /// Whether everything this lets through is let through by `wider` too, as far as can be proven.
    pub(crate) fn within(&self, wider: &Self) -> bool {
        if self.absolute == wider.absolute {
            return true;
        }
        let Some(root) = wider.absolute.strip_suffix("**") else { return false };
        !root.contains(['*', '?', '[', '{'])
            && self.absolute.strip_prefix(root).is_some_and(|rest| !rest.is_empty())
    }
}

/// The absolute form of a path that a tool is called with, or the reason why there is none.
pub(crate) fn resolve(path: &str, place: &PathBase) -> Result<String, Unproven> {
    let refused = || Unproven::Path(path.chars().take(80).collect());
    if path.len() > PATH_LIMIT {
        return Err(Unreadable::TooLong(PATH_LIMIT).into());
    }
    if path.is_empty() {
        return Err(Unreadable::Empty.into());
    }
    let lower = path.to_ascii_lowercase();
    let strange = path.contains(['\\', '$', '`'])
        || path.starts_with('~')
        || path.trim() != path
        || lower.contains("://")
        || lower.starts_with("file:")
        || ["%2e", "%2f", "%5c", "%00"].iter().any(|code| lower.contains(code))
        || path.chars().any(|c| c.is_control() || in_disguise(c));
    let absolute = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", place.folder) };
    tidy(&absolute).filter(|path| !strange && path.starts_with('/')).ok_or_else(refused)
}

/// Whether a character can turn into one that a path is made of, or cannot be seen.
fn in_disguise(c: char) -> bool {
    use unicode_general_category::{GeneralCategory as Category, get_general_category};
    !c.is_ascii()
        && (std::iter::once(c).nfkc().any(|part| matches!(part, '.' | '/' | '\\' | '~' | '*'))
            || matches!(
                get_general_category(c),
                Category::Format
                    | Category::LineSeparator
                    | Category::ParagraphSeparator
                    | Category::PrivateUse
            )
            || matches!(c, '\u{2044}' | '\u{2215}' | '\u{29f8}'))
}

/// Without `.` and doubled slashes; `..` has no tidy form, since links decide where it leads.
fn tidy(path: &str) -> Option<String> {
    let mut tidy = String::with_capacity(path.len());
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            return None;
        }
        tidy.push('/');
        tidy.push_str(part);
    }
    if tidy.is_empty() { Some("/".to_owned()) } else { Some(tidy) }
}
