//! Reads the file beside a skill that decides whether the agent offers it.

use super::{
    Listed, UnseenCode, dialect,
    skill::{Cause, Loss, Skill},
};
use skillful_catalog::bounded;
use skillful_format::{sidecar::SIDECAR_LIMIT, yaml::Value as Yaml};
use skillful_profiles::{AgentProfile, FrontmatterRule, SidecarRule};
use std::path::Path;

/// Applies the agent's sidecar rule, if it has one and the file exists.
pub(super) fn apply(agent: &AgentProfile, skill: Skill) -> Result<Skill, Box<Loss>> {
    let Some(rule) = agent.sidecar.as_ref().filter(|rule| skill.found.may_have(&rule.file)) else {
        return Ok(skill);
    };
    let Some(values) = skill.found.file.parent().and_then(|folder| read(&folder.join(&rule.file), rule))
    else {
        return Ok(skill);
    };
    if !values.products.is_empty() && !values.products.contains(&rule.product) {
        let others = values.products.join(", ");
        let reason =
            format!("`{}` limits the skill to {others}, which does not include {}", rule.file, agent.title);
        let fix = format!("add `{}` to `{}`, or remove the list", rule.product, rule.products);
        let cause = Cause::new(UnseenCode::Product, reason).fix(fix);
        return Err(Box::new(cause.lose(&skill.found, Some(skill.name))));
    }
    if values.implicit {
        return Ok(skill);
    }
    let listed = Listed::UserOnly(format!("`{}` is false in `{}`", rule.implicit, rule.file));
    Ok(Skill { listed, ..skill })
}

struct SidecarValues {
    products: Vec<String>,
    implicit: bool,
}

/// The values of the file; `None` when the agent would ignore the whole file.
fn read(file: &Path, rule: &SidecarRule) -> Option<SidecarValues> {
    // The agent follows links out of the repository, so what it makes of them is shown.
    let text = bounded::read_text(file, SIDECAR_LIMIT, None).ok()?;
    let tree = dialect::read(
        &text,
        &FrontmatterRule { shapes: rule.shapes.clone(), ..FrontmatterRule::default() },
        &[],
    )
    .ok()?;
    let products: Vec<String> = match tree.at(&rule.products).map(|node| &node.value) {
        Some(Yaml::List(items)) => items.iter().filter_map(|item| item.scalar()).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let known = products.iter().all(|product| rule.known_products.contains(product));
    let implicit = tree.at(&rule.implicit).is_none_or(|node| node.value != Yaml::Bool(false));
    known.then_some(SidecarValues { products, implicit })
}
