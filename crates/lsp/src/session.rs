//! What client and server agreed on at the start.

use crate::{Encoding, Settings, actions, lens, uri};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions, ExecuteCommandOptions,
    HoverProviderCapability, InitializeParams, InitializeResult, OneOf, ServerCapabilities, ServerInfo,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkDoneProgressOptions,
};
use skillful_format::check::PROFILES;
use std::path::PathBuf;

/// What client and server agreed on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session {
    pub(crate) encoding: Encoding,
    /// The client asks for diagnostics itself.
    pub(crate) pulls: bool,
    /// The client can be asked to ask for diagnostics again.
    pub(crate) refreshes_diagnostics: bool,
    /// The client can be asked to ask for code lenses again.
    pub(crate) refreshes_lenses: bool,
    /// The client takes edits with the version of a text.
    pub(crate) versioned_edits: bool,
    /// The folder that the client works in.
    pub(crate) folder: Option<PathBuf>,
    /// The process that started the client, if it wants to be watched.
    pub(crate) parent: Option<u32>,
}

impl Session {
    pub(crate) fn of(params: &InitializeParams) -> Self {
        let capabilities = &params.capabilities;
        let general = capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_deref()).unwrap_or_default();
        let workspace = capabilities.workspace.as_ref();
        let text_document = capabilities.text_document.as_ref();
        let folders = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
        #[expect(deprecated, reason = "older clients send only the root")]
        let root = params.root_uri.iter();
        Self {
            encoding: Encoding::negotiated(offered),
            pulls: text_document.is_some_and(|document| document.diagnostic.is_some()),
            refreshes_diagnostics: workspace
                .and_then(|workspace| workspace.diagnostic.as_ref())
                .is_some_and(|diagnostic| diagnostic.refresh_support == Some(true)),
            refreshes_lenses: workspace
                .and_then(|workspace| workspace.code_lens.as_ref())
                .is_some_and(|lens| lens.refresh_support == Some(true)),
            versioned_edits: workspace
                .and_then(|workspace| workspace.workspace_edit.as_ref())
                .is_some_and(|edit| edit.document_changes == Some(true)),
            folder: folders.chain(root).find_map(uri::path_of),
            parent: params.process_id,
        }
    }

    /// What the server can do.
    pub(crate) fn result(&self) -> InitializeResult {
        let options = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        };
        let characters = [" ", ":", "-", "(", "/", "$", ",", "["];
        let capabilities = ServerCapabilities {
            position_encoding: Some(self.encoding.kind()),
            text_document_sync: Some(TextDocumentSyncCapability::Options(options)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some(characters.map(str::to_owned).to_vec()),
                ..CompletionOptions::default()
            }),
            definition_provider: Some(OneOf::Left(true)),
            document_symbol_provider: Some(OneOf::Left(true)),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, actions::FIX_ALL]),
                ..CodeActionOptions::default()
            })),
            code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
            document_formatting_provider: Some(OneOf::Left(true)),
            document_link_provider: Some(DocumentLinkOptions {
                resolve_provider: Some(false),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            }),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: [lens::SHOW_AGENTS, lens::SHOW_COST].map(str::to_owned).to_vec(),
                ..ExecuteCommandOptions::default()
            }),
            diagnostic_provider: self.pulls.then(|| {
                DiagnosticServerCapabilities::Options(DiagnosticOptions {
                    identifier: Some("skillful".to_owned()),
                    ..DiagnosticOptions::default()
                })
            }),
            ..ServerCapabilities::default()
        };
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        InitializeResult {
            capabilities,
            server_info: Some(ServerInfo { name: "skillful".to_owned(), version }),
        }
    }
}

/// Settings of the client: `{"profile": "spec", "agent": "codex"}`, also below `skillful`. Returns what is not usable.
pub(crate) fn configure(settings: &mut Settings, given: &serde_json::Value) -> Vec<String> {
    let given = given.get("skillful").unwrap_or(given);
    let mut problems = Vec::new();
    match given.get("profile").and_then(serde_json::Value::as_str) {
        None => {}
        Some(name) => match PROFILES.iter().find(|profile| profile.id == name) {
            Some(profile) => settings.profile = profile,
            None => problems.push(format!("no profile named `{name}`; use `lenient` or `spec`")),
        },
    }
    if let Some(agent) = given.get("agent") {
        settings.agent = agent.as_str().filter(|agent| !agent.is_empty()).map(str::to_owned);
    }
    problems
}
