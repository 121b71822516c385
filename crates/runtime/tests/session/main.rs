//! A run as a state: pipelines, forks, untrusted content.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own state back must stop")]

mod contract;
mod property;

use skillful_format::ToolGrant;
use skillful_runtime::{policy::ToolLists, session::Skill};

pub(crate) fn skill(name: &str, next: Option<&str>) -> Skill {
    Skill { name: name.to_owned(), next: next.map(str::to_owned), ..Skill::default() }
}

pub(crate) fn lists(allowed: &str) -> ToolLists {
    let allowed = ToolGrant::split(allowed).into_iter().filter_map(ToolGrant::parse).collect();
    ToolLists { allowed: Some(allowed), ..ToolLists::default() }
}

/// A library where `a` leads to `b`, `b` to `c`, `c` to itself; `gone` is refused.
pub(crate) fn gate(target: &str) -> Result<Skill, String> {
    match target {
        "a" => Ok(skill("a", Some("b"))),
        "b" => Ok(skill("b", Some("c"))),
        "c" => Ok(skill("c", Some("c"))),
        "end" => Ok(skill("end", None)),
        "lost" => Ok(skill("lost", Some("gone"))),
        _ => Err(format!("there is no skill `{target}`")),
    }
}
