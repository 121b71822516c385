//! The relations of a skill as a graph of three layers with a table beside it: what leads to it and what it requires left, what it
//! loads, hands over to or excludes right.

use super::{
    Nav, Paged, Shell, Visitor,
    errors::PageResult,
    explain_picture::cut,
    markdown::visible,
    marks::{Markup, escaped},
    show,
};
use crate::{extract::Ids, state::App};
use askama::Template;
use axum::{Router, extract::State, routing::get};
use serde_json::Value;
use skillful_team::{TeamError, skills::SkillRecord};
use std::fmt::Write as _;

/// Skills that a graph shows on each side.
const SIDE: usize = 12;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/ui/skills/{id}/relations", get(relations))
}

/// How one skill names another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Requires,
    Companion,
    Then,
    Excludes,
}

impl Relation {
    fn word(self) -> &'static str {
        match self {
            Self::Requires => "requires",
            Self::Companion => "companion",
            Self::Then => "then",
            Self::Excludes => "excludes",
        }
    }

    /// The relation in a sentence about the other skill; `incoming`: the other one names this skill.
    fn sentence(self, incoming: bool) -> &'static str {
        match (self, incoming) {
            (Self::Requires, false) => "required by this skill",
            (Self::Requires, true) => "requires this skill",
            (Self::Companion, false) => "companion, loaded with this skill",
            (Self::Companion, true) => "loads this skill as a companion",
            (Self::Then, false) => "next in the pipeline",
            (Self::Then, true) => "hands over to this skill",
            (Self::Excludes, false) => "never loaded together",
            (Self::Excludes, true) => "is never loaded together with this skill",
        }
    }
}

/// A related skill.
struct Related {
    name: String,
    relation: Relation,
    incoming: bool,
    is_known: bool,
}

/// What a frontmatter names, in its order.
fn stated(manifest: &Value) -> Vec<(Relation, String)> {
    let words = |value: &Value| -> Vec<String> {
        let list = value.as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect()
    };
    let mut all = Vec::new();
    let mut put = |relation, names: Vec<String>| all.extend(names.into_iter().map(|name| (relation, name)));
    put(Relation::Requires, words(&manifest["requires"]["skills"]));
    put(Relation::Companion, words(&manifest["companion_skills"]));
    put(Relation::Then, manifest["next_skill"].as_str().map(str::to_owned).into_iter().collect());
    let branches = manifest["conditional_next_skills"].as_array().cloned().unwrap_or_default();
    put(Relation::Then, branches.iter().filter_map(|pair| pair[1].as_str().map(str::to_owned)).collect());
    put(Relation::Excludes, words(&manifest["exclude_skills"]));
    all
}

struct Row {
    name: Markup,
    sentence: &'static str,
    is_known: bool,
}

#[derive(Template)]
#[template(path = "relations.html")]
struct RelationsPage {
    shell: Shell,
    skill: SkillRecord,
    picture: Markup,
    rows: Vec<Row>,
    left_out: usize,
}

impl Paged for RelationsPage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

async fn relations(State(app): State<App>, visitor: Visitor, Ids(id): Ids<String>) -> PageResult {
    let (team, actor) = (&app.team, &visitor.actor);
    let skill = team.skill(actor, &id).await?;
    let number = skill.default_version.unwrap_or(skill.latest_version);
    let version = team.version(actor, &id, number).await?;
    let others = match team.effective(actor).await {
        Ok(others) => others,
        Err(TeamError::Unauthenticated(_)) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let is_known = |name: &str| others.iter().any(|other| other.skill.name == name);
    let mut all: Vec<Related> = stated(&version.manifest)
        .into_iter()
        .map(|(relation, name)| Related { is_known: is_known(&name), relation, name, incoming: false })
        .collect();
    for other in others.iter().filter(|other| other.skill.id != id) {
        let names_this = stated(&other.version.manifest).into_iter().filter(|(_, name)| *name == skill.name);
        all.extend(names_this.map(|(relation, _)| Related {
            name: other.skill.name.clone(),
            relation,
            incoming: true,
            is_known: true,
        }));
    }
    let rows = all.iter().map(|one| Row {
        name: Markup(visible(&one.name)),
        sentence: one.relation.sentence(one.incoming),
        is_known: one.is_known,
    });
    let page = RelationsPage {
        rows: rows.collect(),
        left_out: all.len().saturating_sub(2 * SIDE),
        picture: graph(&skill.name, &all),
        shell: Shell::of(&app, &visitor, &format!("{}, relations", skill.name), Nav::Skills).await?,
        skill,
    };
    show(&page)
}

/// The picture. Layers are columns; a wire goes from the one that acts to the other.
fn graph(name: &str, all: &[Related]) -> Markup {
    let is_left = |one: &&Related| one.incoming || one.relation == Relation::Requires;
    let left: Vec<&Related> = all.iter().filter(is_left).take(SIDE).collect();
    let right: Vec<&Related> = all.iter().filter(|one| !is_left(one)).take(SIDE).collect();
    let rows = left.len().max(right.len()).max(1);
    let height = rows * 78 + 4;
    let middle = height / 2;
    let at = |count: usize, place: usize| (rows - count) * 39 + place * 78 + 41;
    let mut wires = String::new();
    let mut boxes = String::new();
    let mut put = |one: &Related, x: usize, y: usize, wire: String, label: (usize, usize)| {
        let is_soft = matches!(one.relation, Relation::Companion | Relation::Excludes);
        let arrow = if is_soft { "" } else { " marker-end=\"url(#ah)\"" };
        let _infallible = write!(
            wires,
            "<path class=\"wire{}\"{arrow} d=\"{wire}\"/><text x=\"{}\" y=\"{}\">{}</text>",
            if is_soft { " dash" } else { "" },
            label.0,
            label.1,
            one.relation.word()
        );
        boxes.push_str(&node(
            x,
            y,
            &one.name,
            if one.is_known { "you get it" } else { "you do not get it" },
            false,
        ));
    };
    for (place, one) in left.iter().enumerate() {
        let y = at(left.len(), place);
        put(one, 2, y, format!("M172 {y}C234 {y} 232 {middle} 293 {middle}"), (178, y - 8));
    }
    for (place, one) in right.iter().enumerate() {
        let y = at(right.len(), place);
        put(one, 588, y, format!("M466 {middle}C526 {middle} 524 {y} 585 {y}"), (520, y - 8));
    }
    Markup(format!(
        "<svg class=\"pic wide\" viewBox=\"0 0 760 {height}\" role=\"img\" aria-labelledby=\"graph-title\"><title id=\"graph-title\">Relations of {}; the table below holds the same facts</title>\
         <defs><marker id=\"ah\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path class=\"hd\" d=\"M0 0 8 4 0 8z\"/></marker></defs>{wires}{boxes}{}</svg>",
        escaped(&cut(name, 60)),
        node(296, middle, name, "this skill", true)
    ))
}

fn node(x: usize, y: usize, name: &str, about: &str, is_me: bool) -> String {
    format!(
        "<g><rect class=\"nd{}\" x=\"{x}\" y=\"{}\" width=\"170\" height=\"44\" rx=\"7\"/><text class=\"tx\" x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\">{}</text></g>",
        if is_me { " me" } else { "" },
        y - 22,
        x + 12,
        y - 3,
        escaped(&cut(name, 22)),
        x + 12,
        y + 12,
        escaped(about)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_frontmatter_names_what_it_requires_loads_hands_over_to_and_excludes() {
        let manifest = json!({
            "requires": { "skills": ["a"] }, "companion_skills": ["b"], "next_skill": "c",
            "conditional_next_skills": [["ok", "d"]], "exclude_skills": ["e"]
        });
        let found: Vec<String> =
            stated(&manifest).iter().map(|(relation, name)| format!("{} {name}", relation.word())).collect();
        assert_eq!(found, ["requires a", "companion b", "then c", "then d", "excludes e"]);
        assert!(stated(&Value::Null).is_empty());
    }

    #[test]
    fn every_relation_is_one_wire_and_foreign_names_are_text() {
        let one = |name: &str, relation, incoming| Related {
            name: name.to_owned(),
            relation,
            incoming,
            is_known: true,
        };
        let all = [
            one("<b>", Relation::Requires, false),
            one("x", Relation::Then, true),
            one("y", Relation::Excludes, false),
        ];
        let made = graph("me\"><script>", &all).0;
        assert_eq!((made.matches("class=\"wire").count(), made.matches("<rect").count()), (3, 4), "{made}");
        assert!(!made.contains("<script") && !made.contains("<b>") && made.contains("&lt;b&gt;"), "{made}");
        assert!(graph("alone", &[]).0.contains("this skill"));
    }
}
