//! Names of tools as models see them: `skill__tool`, or `skill__server__tool` when the server has a name.
//!
//! A name is never taken apart again: a table maps it to its tool. Two different tools never share one,
//! because a shortened name ends in a digest of the full one.

use super::limits::NAME_CHARS;
use skillful_format::digest_bytes;

/// Between the parts.
const BETWEEN: &str = "__";
/// Characters of the digest at the end of a name that had to be changed.
const DIGEST_CHARS: usize = 8;

/// The name of a tool of a skill's server.
pub(crate) fn of_tool(skill: &str, server: Option<&str>, tool: &str) -> String {
    let parts: Vec<&str> = [Some(skill), server, Some(tool)].into_iter().flatten().collect();
    let name = parts.iter().map(|part| plain(part)).collect::<Vec<_>>().join(BETWEEN);
    let says_all = parts.iter().all(|part| is_plain(part));
    if says_all && name.len() <= NAME_CHARS {
        return name;
    }
    // Lengths, because parts may hold whatever could stand between them.
    let identity: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    let digest = digest_bytes(identity.as_bytes()).to_hex();
    // All characters are ASCII by now.
    let kept = &name[..name.len().min(NAME_CHARS - DIGEST_CHARS - 1)];
    format!("{kept}_{}", &digest[..DIGEST_CHARS])
}

fn plain(part: &str) -> String {
    part.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect()
}

/// Whether a part can be read off the name, and cannot be taken for two.
fn is_plain(part: &str) -> bool {
    !part.is_empty()
        && part.chars().all(is_allowed)
        && !part.contains(BETWEEN)
        && !part.starts_with('_')
        && !part.ends_with('_')
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_plain_where_they_can_be_and_never_shared() {
        assert_eq!(of_tool("weather", None, "get_forecast"), "weather__get_forecast");
        assert_eq!(of_tool("weather", Some("eu"), "get-forecast"), "weather__eu__get-forecast");
        let odd: &[(&str, Option<&str>, &str)] = &[
            ("a", Some("b"), "c"),
            ("a", None, "b__c"),
            ("a_", None, "b"),
            ("a", None, "_b"),
            ("a", None, "ü.x"),
            ("a", None, "ü/x"),
            ("p:a", None, "x"),
            ("p/a", None, "x"),
            ("a", None, ""),
        ];
        let long = "x".repeat(200);
        let longer = "x".repeat(201);
        let mut names: BTreeSet<String> =
            odd.iter().map(|(skill, server, tool)| of_tool(skill, *server, tool)).collect();
        names.insert(of_tool("a", None, &long));
        names.insert(of_tool("a", None, &longer));
        assert_eq!(names.len(), odd.len() + 2, "{names:?}");
        for name in &names {
            assert!(name.len() <= NAME_CHARS && name.chars().all(is_allowed), "{name}");
        }
        assert_eq!(of_tool("p:a", None, "x"), of_tool("p:a", None, "x"));
    }
}
