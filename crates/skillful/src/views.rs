//! What goes out: typed, versioned values. Text, JSON, HTML, MCP and bindings are made from the same value, and
//! `schemas/` holds a JSON Schema of each.
//!
//! A field is only ever added; removing or renaming one raises [`SCHEMA`].

mod agent_view;
mod agents;
mod diagnostic;
mod doctor;
pub mod install;
mod selection;
mod skill;
mod skill_list;
pub mod status;

pub use agent_view::{AgentRoot, AgentView, MissedSkill, SeenSkill};
pub use agents::{AgentList, AgentSummary};
pub use diagnostic::DiagnosticView;
pub use doctor::{DoctorReport, Health, HealthFinding};
pub use selection::{
    ExcludedView, MentionView, MissingCompanionView, NotOffered, SelectedView, SelectionView,
};
pub use skill::{Calls, OverrideView, SkillDetail, SkillSummary};
pub use skill_list::{ListFilter, SkillList, UnknownFilter};

/// The version of every object.
pub const SCHEMA: u32 = 1;
