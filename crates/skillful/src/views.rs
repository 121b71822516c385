//! What goes out: typed, versioned values. Text, JSON, HTML, MCP and bindings are made from the same value, and
//! `schemas/` holds a JSON Schema of each.
//!
//! A field is only ever added; removing or renaming one raises [`SCHEMA`].

mod agent_view;
mod agents;
mod diagnostic;
mod doctor;
mod error;
mod found;
pub mod install;
mod schema;
mod selection;
mod skill;
mod skill_list;
pub mod status;

pub use agent_view::{AgentRoot, AgentView, MissedSkill, SeenSkill};
pub use agents::{AgentList, AgentSummary};
pub use diagnostic::DiagnosticView;
pub use doctor::{DoctorReport, Health, HealthFinding};
pub use error::{ErrorReport, ErrorView};
pub use found::{FoundView, MatchedWord};
pub use schema::{View, ViewSchema};
pub use selection::{
    ExcludedView, MentionView, MissingCompanionView, NotOffered, SelectedView, SelectionView,
};
pub use skill::{Calls, OverrideView, SkillDetail, SkillSummary};
pub use skill_list::{ListFilter, SkillList, UnknownFilter};

/// The version of every object.
pub const SCHEMA: u32 = 1;

/// Names views, and lists their schemas.
macro_rules! views {
    ($($name:literal: $view:ty,)*) => {
        $(impl View for $view {
            const NAME: &'static str = $name;
        })*

        /// The schema of every view, in the order of the names.
        pub fn schemas() -> Vec<ViewSchema> {
            vec![$(ViewSchema::of::<$view>()),*]
        }
    };
}

views! {
    "agent-view": AgentView,
    "agents": AgentList,
    "diff": status::DiffView,
    "doctor": DoctorReport,
    "error": ErrorReport,
    "install": install::InstallView,
    "keys": crate::library::KnownKeys,
    "outdated": status::OutdatedView,
    "selection": SelectionView,
    "skill": SkillDetail,
    "skills": SkillList,
    "verify": status::VerifyView,
}
