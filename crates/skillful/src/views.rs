//! What goes out: typed, versioned values. Text, JSON, HTML, MCP and bindings are made from the same value, and
//! `schemas/` holds a JSON Schema of each.
//!
//! A field is only ever added; removing or renaming one raises [`SCHEMA`].

mod agent_view;
mod agents;
mod answer;
pub mod ask;
pub mod audit;
mod capability;
mod changes;
pub mod check;
pub mod clean;
pub mod config;
mod created;
mod diagnostic;
mod doctor;
mod error;
pub mod eval;
pub mod exec;
mod folders;
mod found;
pub mod install;
mod list_filter;
mod loaded;
mod matrix;
mod menu;
pub mod overview;
mod path;
mod proxy;
mod review;
mod sandbox;
mod schema;
mod search;
mod secret;
mod selection;
mod serve;
pub mod session;
pub mod share;
mod skill;
mod skill_detail;
mod skill_list;
mod skill_stream;
pub mod source;
pub mod starter;
pub mod status;
pub mod team;
pub mod tool;
mod trust;
pub mod unused;
pub mod update;
mod variable;

pub use agent_view::{AgentRoot, AgentView, MenuSize, MissedSkill, SeenSkill, general_reason};
pub use agents::{AgentList, AgentSummary};
pub use answer::{AnswerView, TurnEndView, UsageView};
pub use capability::CapabilityView;
pub use changes::{ChangedSkill, ChangesView};
pub use created::CreatedSkill;
pub use diagnostic::DiagnosticView;
pub use doctor::{DoctorReport, Health, HealthFinding, unset_variables};
pub use error::{ErrorItem, ErrorReport, ErrorView};
pub use folders::{FolderList, SkillFolder};
pub use found::{FoundView, MatchedWord};
pub use list_filter::{ListFilter, UnknownFilter, list_sources};
pub use loaded::{LoadedSkill, SkillResource};
pub use matrix::{FolderTrust, MatrixAgent, MatrixCell, MatrixSkill, SkillMatrix};
pub use menu::MenuView;
pub use path::PathText;
pub use proxy::{ProxyRefusal, ProxyView};
pub use review::{ReviewCard, ReviewDecisions, ReviewEntry, ReviewFile, ReviewList};
pub use sandbox::{EnforcementView, LimitsView, SandboxView, TierView};
pub use schema::{View, ViewSchema};
pub use search::SearchView;
pub use secret::{
    AskedFor, HolderState, SecretChanged, SecretHolder, SecretList, SecretView, ServerAnswer, SignInView,
    VariableAnswer,
};
pub use selection::{
    ExcludedView, ExplainView, LikelyView, MentionView, MissingCompanionView, NotOffered, SelectedView,
    SelectionView,
};
pub use serve::{BackupView, ServeView};
pub use skill::{Calls, OverrideView, SkillSummary};
pub use skill_detail::{AgentVerdict, FindingCounts, SimilarSkill, SkillDetail, SkillOrigin, SkillSize};
pub use skill_list::SkillList;
pub use skill_stream::SkillStream;
pub use trust::{StillApproved, TrustedFolders, UntrustedFolder};
pub use variable::{EnvView, VariableList, VariableView};

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
    "agent-settings": crate::library::AgentSettingsChange,
    "agent-view": AgentView,
    "agents": AgentList,
    "answer": AnswerView,
    "ask": ask::AskView,
    "audit": audit::AuditList,
    "backup": BackupView,
    "changes": ChangesView,
    "check": check::CheckReport,
    "clean": clean::CleanReport,
    "config": config::ConfigView,
    "created": CreatedSkill,
    "diff": status::DiffView,
    "doctor": DoctorReport,
    "error": ErrorReport,
    "eval": eval::EvalReport,
    "exec": exec::ExecView,
    "exec-by-proxy": exec::ProxyExecView,
    "export": share::ExportView,
    "folders": FolderList,
    "format": share::FormatReport,
    "install": install::InstallView,
    "keys": crate::library::KnownKeys,
    "links": crate::agent_links::LinkPlan,
    "links-undone": crate::library::LinksUndone,
    "loaded": LoadedSkill,
    "matrix": SkillMatrix,
    "menu": MenuView,
    "offered": share::OfferedSkills,
    "outdated": status::OutdatedView,
    "overview": overview::Overview,
    "pin": unused::PinView,
    "proxy": ProxyView,
    "proxy-refusal": ProxyRefusal,
    "published": crate::library::Published,
    "push": crate::library::PushReport,
    "repairs": crate::library::RepairPlan,
    "resource": SkillResource,
    "restore": unused::RestoreView,
    "review": ReviewList,
    "review-decisions": ReviewDecisions,
    "sandbox": SandboxView,
    "search": SearchView,
    "secret-changed": SecretChanged,
    "secrets": SecretList,
    "selection": ExplainView,
    "serve": ServeView,
    "server-answer": ServerAnswer,
    "session": session::SessionDetail,
    "sessions": session::SessionList,
    "sessions-removed": session::SessionsRemoved,
    "setting-changed": crate::library::SettingChanged,
    "sign-in": SignInView,
    "signature": crate::library::SignatureCheck,
    "signed": crate::library::SignedFolder,
    "skill": SkillDetail,
    "skills": SkillList,
    "source-changed": source::SourceChanged,
    "source-skills": source::SourceSkills,
    "sources": source::SourceList,
    "starter": starter::StarterList,
    "switched": crate::library::Switched,
    "team-sign-ins": team::TeamSignIns,
    "tool-result": tool::ToolResult,
    "tools": tool::ToolList,
    "tour": starter::TourView,
    "trust": crate::library::TrustPlan,
    "trusted-folders": TrustedFolders,
    "untrusted": UntrustedFolder,
    "unused": unused::UnusedReport,
    "update": update::UpdateView,
    "variable-answer": VariableAnswer,
    "variables": VariableList,
    "verify": status::VerifyView,
}
