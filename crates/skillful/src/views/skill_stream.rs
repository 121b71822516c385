//! The list of skills while it is printed: each skill is made when its turn comes, so that memory does not grow with
//! what is printed.

use super::{
    DiagnosticView, ListFilter, PathText, SCHEMA, SkillList, SkillSummary, UnknownFilter, View,
    list_filter::KnownFilter,
};
use crate::workspace::Workspace;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer, ser::SerializeStruct};
use skillful_catalog::{Catalog, entry::SeenBy, names::in_order};
use std::{borrow::Cow, sync::Arc};

/// The skills that a filter keeps. Serializes to the same bytes as [`SkillList`].
pub struct SkillStream<'a> {
    workspace: &'a Workspace,
    catalog: Arc<Catalog>,
    /// By name; of one name the available one first.
    rows: Vec<Row>,
    filter: KnownFilter,
    total: usize,
}

/// One skill of a list, by its position.
#[derive(Clone, Copy)]
enum Row {
    /// In the catalog.
    Placed(usize),
    /// Among those that were downloaded and are not installed.
    Downloaded(usize),
}

impl<'a> SkillStream<'a> {
    /// The skills of a workspace. Opened as an agent, the list holds what that agent loads.
    pub fn of(workspace: &'a Workspace, filter: &ListFilter) -> Result<Self, UnknownFilter> {
        let filter = filter.known(workspace)?;
        let catalog = workspace.catalog();
        let loads = |at: &usize| !matches!(catalog.entries[*at].seen_by, Some(SeenBy::Missed { .. }));
        let loaded: Vec<usize> = (0..catalog.entries.len()).filter(loads).collect();
        let mut total = loaded.len();
        let mut shown: Vec<(Cow<'_, str>, bool, usize)> = Vec::with_capacity(total);
        for at in loaded {
            let entry = &catalog.entries[at];
            let name = match &entry.qualifier {
                None => Cow::Borrowed(entry.name.as_str()),
                Some(_) => Cow::Owned(entry.address()),
            };
            let description = || entry.description().map(str::to_owned);
            if filter.has_scope(entry.origin.scope)
                && filter.has_text(&name, description)
                && filter.keeps(entry)
            {
                shown.push((name, entry.placement != skillful_catalog::Placement::Active, at));
            }
        }
        shown.sort_unstable_by(|one, other| {
            in_order(&one.0, &other.0).then_with(|| (one.1, one.2).cmp(&(other.1, other.2)))
        });
        let mut rows: Vec<(&str, Row)> =
            shown.iter().map(|(name, _, at)| (&**name, Row::Placed(*at))).collect();
        // No agent reads what is not installed.
        let downloads = workspace.pending_downloads().iter().enumerate();
        for (at, one) in downloads.filter(|_| workspace.as_agent().is_none()) {
            total += 1;
            let is_kept = filter.has_scope(one.scope)
                && filter.has_text(&one.name, || workspace.pending_description(one))
                && filter.keeps_download(&one.places);
            if is_kept {
                rows.push((&one.name, Row::Downloaded(at)));
            }
        }
        rows.sort_by(|(one, _), (other, _)| in_order(one, other));
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        drop(shown);
        Ok(Self { workspace, catalog, rows, filter, total })
    }

    /// Every skill in order.
    fn skills(
        &self,
        placed: impl Fn(&Workspace, &Catalog, usize) -> SkillSummary,
    ) -> impl Iterator<Item = SkillSummary> {
        self.with_positions(placed).map(|(skill, _)| skill)
    }

    /// Every skill in order, with its position in the catalog; a downloaded one has none.
    pub(super) fn positions(&self) -> impl Iterator<Item = (SkillSummary, Option<usize>)> {
        self.with_positions(SkillSummary::of)
    }

    fn with_positions(
        &self,
        placed: impl Fn(&Workspace, &Catalog, usize) -> SkillSummary,
    ) -> impl Iterator<Item = (SkillSummary, Option<usize>)> {
        let skill = move |row: &Row| match *row {
            Row::Placed(at) => Some((placed(self.workspace, &self.catalog, at), Some(at))),
            Row::Downloaded(at) => {
                let one = self.workspace.pending_downloads().get(at)?;
                Some((SkillSummary::pending(self.workspace, one), None))
            }
        };
        let keeps = |(skill, _): &(SkillSummary, _)| {
            self.filter.state.as_ref().is_none_or(|state| *state == skill.state)
        };
        self.rows.iter().filter_map(skill).filter(keeps)
    }

    /// The whole list.
    pub(super) fn list(&self, placed: impl Fn(&Workspace, &Catalog, usize) -> SkillSummary) -> SkillList {
        SkillList {
            schema: SCHEMA,
            folder: PathText::from(&self.workspace.environment().cwd),
            project: PathText::from(&self.catalog.project),
            agent: self.workspace.as_agent().map(|agent| agent.id.clone()),
            missing_in: self.filter.missing_in.clone(),
            source: self.filter.source.clone(),
            skills: self.skills(placed).collect(),
            total: self.total,
            diagnostics: self.diagnostics(),
        }
    }

    fn diagnostics(&self) -> Vec<DiagnosticView> {
        DiagnosticView::all(self.workspace.diagnostics().iter().chain(&self.catalog.diagnostics))
    }
}

/// The skills of a list, as a sequence.
struct Skills<'a>(&'a SkillStream<'a>);

impl Serialize for Skills<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.skills(SkillSummary::of))
    }
}

impl Serialize for SkillStream<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let agent = self.workspace.as_agent();
        let (missing_in, source) = (&self.filter.missing_in, &self.filter.source);
        let given = [agent.is_some(), missing_in.is_some(), source.is_some()];
        let fields = 6 + given.into_iter().filter(|is_given| *is_given).count();
        let mut list = serializer.serialize_struct("SkillList", fields)?;
        list.serialize_field("schema", &SCHEMA)?;
        list.serialize_field("folder", &PathText::from(&self.workspace.environment().cwd))?;
        list.serialize_field("project", &PathText::from(&self.catalog.project))?;
        if let Some(agent) = agent {
            list.serialize_field("agent", &agent.id)?;
        }
        if let Some(agent) = missing_in {
            list.serialize_field("missing_in", agent)?;
        }
        if let Some(source) = source {
            list.serialize_field("source", source)?;
        }
        list.serialize_field("skills", &Skills(self))?;
        list.serialize_field("total", &self.total)?;
        list.serialize_field("diagnostics", &self.diagnostics())?;
        list.end()
    }
}

impl JsonSchema for SkillStream<'_> {
    fn schema_name() -> Cow<'static, str> {
        SkillList::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        SkillList::json_schema(generator)
    }
}

impl View for SkillStream<'_> {
    const NAME: &'static str = SkillList::NAME;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capital_does_not_move_a_name_to_the_front() {
        let home = tempfile::tempdir().unwrap();
        for name in ["Zeta", "alpha", "Beta", "beta-two", "zeta"] {
            let skill = home.path().join(".claude/skills").join(name);
            std::fs::create_dir_all(&skill).unwrap();
            let text = format!("---\nname: {name}\ndescription: Does it.\n---\nText.\n");
            std::fs::write(skill.join("SKILL.md"), text).unwrap();
        }
        std::fs::create_dir_all(home.path().join(".config/skillful")).unwrap();
        std::fs::write(home.path().join(".config/skillful/config.toml"), "system = false\n").unwrap();
        let list = SkillList::of(&Workspace::for_folder(home.path(), home.path()), &ListFilter::default());
        let names: Vec<String> = list.unwrap().skills.into_iter().map(|skill| skill.name).collect();
        assert_eq!(names, ["alpha", "Beta", "beta-two", "Zeta", "zeta"]);
    }

    #[test]
    fn a_list_that_is_printed_while_it_is_made_has_the_same_bytes() {
        let home = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("b", "---\nname: b\ndescription: Second.\nunknown: 1\n---\nText.\n"),
            ("a", "---\nname: a\ndescription: First.\n---\nText.\n"),
            ("again", "---\nname: a\ndescription: The same name.\n---\nText.\n"),
            ("broken", "---\nname: broken\n"),
        ] {
            let skill = home.path().join(".claude/skills").join(name);
            std::fs::create_dir_all(&skill).unwrap();
            std::fs::write(skill.join("SKILL.md"), text).unwrap();
        }
        std::fs::create_dir_all(home.path().join(".config/skillful")).unwrap();
        std::fs::write(home.path().join(".config/skillful/config.toml"), "system = false\n").unwrap();
        let workspace = Workspace::for_folder(folder.path(), home.path());
        let as_agent = workspace.with_agent("claude-code").unwrap();
        let filters = [
            ListFilter::default(),
            ListFilter { text: Some("SECOND".to_owned()), ..ListFilter::default() },
            ListFilter { state: Some("invalid".to_owned()), ..ListFilter::default() },
            ListFilter { scope: Some("project".to_owned()), ..ListFilter::default() },
            ListFilter { missing_in: Some("codex".to_owned()), ..ListFilter::default() },
        ];
        let counts = filters.each_ref().map(|filter| SkillList::of(&workspace, filter).unwrap().skills.len());
        // Claude Code loads the broken one, too.
        assert_eq!(counts, [4, 1, 1, 0, 4]);
        let invalid = SkillStream::of(&workspace, &filters[2]).unwrap();
        let catalog = workspace.catalog();
        let names: Vec<String> =
            invalid.positions().map(|(_, at)| catalog.entries[at.unwrap()].name.clone()).collect();
        assert_eq!(names, ["broken"]);
        for workspace in [&workspace, &as_agent] {
            for filter in &filters {
                let list = SkillList::of(workspace, filter).unwrap();
                let stream = SkillStream::of(workspace, filter).unwrap();
                assert_eq!(serde_json::to_string(&list).unwrap(), serde_json::to_string(&stream).unwrap());
                let brief = SkillList::without_diagnostics(workspace, filter).unwrap();
                assert!(brief.skills.iter().all(|skill| skill.diagnostics.is_empty()));
                let names = |list: &SkillList| -> Vec<String> {
                    list.skills.iter().map(|skill| format!("{} {}", skill.name, skill.state)).collect()
                };
                assert_eq!(names(&brief), names(&list));
            }
        }
    }
}
