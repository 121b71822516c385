//! A file beside a skill that decides whether the agent offers it.

use super::{
    Listed, UnseenCode, dialect,
    skill::{Cause, Loss, Skill},
};
use skillful_format::{sidecar::SIDECAR_LIMIT, yaml::Value as Yaml};
use skillful_profiles::{AgentProfile, HeaderRule, SidecarRule};
use std::{fs, path::Path};

/// Applies the agent's sidecar, if it has one and the file is there.
pub(super) fn apply(agent: &AgentProfile, skill: Skill) -> Result<Skill, Box<Loss>> {
    let Some(rule) = &agent.sidecar else { return Ok(skill) };
    let Some(said) = skill.found.file.parent().and_then(|folder| read(&folder.join(&rule.file), rule)) else {
        return Ok(skill);
    };
    if !said.products.is_empty() && !said.products.contains(&rule.product) {
        let others = said.products.join(", ");
        let reason = format!(
            "`{}` says that the skill is for {others}, and {} is none of them",
            rule.file, agent.title
        );
        let fix = format!("add `{}` to `{}`, or remove the list", rule.product, rule.products);
        let cause = Cause::new(UnseenCode::Product, reason).fix(fix);
        return Err(Box::new(cause.lose(&skill.found, Some(skill.name))));
    }
    if said.implicit {
        return Ok(skill);
    }
    let listed = Listed::Nobody(format!("`{}` is false in `{}`", rule.implicit, rule.file));
    Ok(Skill { listed, ..skill })
}

struct Said {
    products: Vec<String>,
    implicit: bool,
}

/// What the file says; `None` when the agent would drop it whole.
fn read(file: &Path, rule: &SidecarRule) -> Option<Said> {
    if fs::metadata(file).is_ok_and(|meta| !meta.is_file() || meta.len() > SIDECAR_LIMIT) {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let tree =
        dialect::read(&text, &HeaderRule { shapes: rule.shapes.clone(), ..HeaderRule::default() }, &[])
            .ok()?;
    let products: Vec<String> = match tree.at(&rule.products).map(|node| &node.value) {
        Some(Yaml::List(items)) => items.iter().filter_map(|item| item.scalar()).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let known = products.iter().all(|product| rule.known_products.contains(product));
    let implicit = tree.at(&rule.implicit).is_none_or(|node| node.value != Yaml::Bool(false));
    known.then_some(Said { products, implicit })
}
