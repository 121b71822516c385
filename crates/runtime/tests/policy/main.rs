//! Tool policy: what the active skill's lists let through.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its corpus must stop")]

mod contract;
mod corpus;
mod profile;
mod property;

use skillful_catalog::profile::ToolListMode;
use skillful_format::ToolGrant;
use skillful_runtime::policy::{Ground, PathBase, Policy, ToolLists};
use std::collections::BTreeMap;

/// Names of tools as Claude Code has them, in the folder `/work`.
pub(crate) fn ground(mode: ToolListMode) -> Ground {
    let tools: BTreeMap<String, Vec<String>> = [
        ("run_command", vec!["Bash"]),
        ("read_file", vec!["Read"]),
        ("write_file", vec!["Write", "apply_patch"]),
        ("edit_file", vec!["Edit", "apply_patch"]),
        ("web_fetch", vec!["WebFetch"]),
        ("use_skill", vec!["Skill"]),
    ]
    .into_iter()
    .map(|(ours, theirs)| (ours.to_owned(), theirs.into_iter().map(str::to_owned).collect()))
    .collect();
    let place = PathBase { folder: "/work".to_owned(), home: Some("/home/ann".to_owned()) };
    Ground::new(&tools, &[], mode, place)
}

pub(crate) fn grants(text: &str) -> Vec<ToolGrant> {
    ToolGrant::split(text).into_iter().map(|entry| ToolGrant::parse(entry).unwrap()).collect()
}

pub(crate) fn lists(allowed: &str, disallowed: &str) -> ToolLists {
    ToolLists { allowed: Some(grants(allowed)), disallowed: grants(disallowed), ..ToolLists::default() }
}

pub(crate) fn policy(allowed: &str, disallowed: &str) -> Policy {
    Policy::of(&lists(allowed, disallowed), &ground(ToolListMode::Restrict))
}
