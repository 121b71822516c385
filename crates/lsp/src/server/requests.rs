//! The requests about one file.

use super::Server;
use crate::{
    actions::Actions,
    background::Snapshot,
    check,
    completion::Completer,
    formatting, hover,
    lens::{self, Cost},
    message::{INVALID_PARAMS, METHOD_NOT_FOUND, RpcError},
    navigation,
};
use lsp_types::{
    CodeActionParams, CodeLensParams, CompletionParams, DocumentDiagnosticParams, DocumentFormattingParams,
    DocumentLinkParams, DocumentSymbolParams, ExecuteCommandParams, GotoDefinitionParams, HoverParams, Uri,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use skillful_profiles::AgentProfiles;

/// The parameters of a method.
pub(super) fn parsed<T: DeserializeOwned>(params: Value) -> Result<T, RpcError> {
    serde_json::from_value(params).map_err(|error| RpcError::new(INVALID_PARAMS, error.to_string()))
}

fn result(value: impl Serialize) -> Result<Value, RpcError> {
    serde_json::to_value(value)
        .map_err(|error| RpcError::new(crate::message::INTERNAL_ERROR, error.to_string()))
}

impl Server {
    pub(super) fn request(&mut self, method: &str, params: Value) -> Result<Value, RpcError> {
        match method {
            "textDocument/completion" => self.completion(&parsed(params)?),
            "textDocument/hover" => self.hover(&parsed(params)?),
            "textDocument/definition" => self.definition(&parsed(params)?),
            "textDocument/documentLink" => self.links(&parsed(params)?),
            "textDocument/documentSymbol" => self.symbols(&parsed(params)?),
            "textDocument/codeAction" => self.actions(&parsed(params)?),
            "textDocument/codeLens" => self.lenses(&parsed(params)?),
            "textDocument/formatting" => self.format(&parsed(params)?),
            "textDocument/diagnostic" => Ok(self.diagnostic(&parsed(params)?)),
            "workspace/executeCommand" => self.execute(&parsed(params)?),
            _ => Err(RpcError::new(METHOD_NOT_FOUND, format!("the server has no method `{method}`"))),
        }
    }

    fn completion(&mut self, params: &CompletionParams) -> Result<Value, RpcError> {
        let at = &params.text_document_position;
        let none = Snapshot::default();
        self.on(&at.text_document.uri, |file| {
            let Opened { text, path, .. } = file;
            let (encoding, snapshot) = (file.session.encoding, file.snapshot.unwrap_or(&none));
            let completer = Completer { text, encoding, path, agents: file.agents, snapshot };
            completer.at(text.offset(at.position, encoding))
        })
    }

    fn hover(&mut self, params: &HoverParams) -> Result<Value, RpcError> {
        let at = &params.text_document_position_params;
        let none = Snapshot::default();
        self.on(&at.text_document.uri, |file| {
            let (encoding, snapshot) = (file.session.encoding, file.snapshot.unwrap_or(&none));
            hover::at(file.text, file.text.offset(at.position, encoding), encoding, file.agents, snapshot)
        })
    }

    fn definition(&mut self, params: &GotoDefinitionParams) -> Result<Value, RpcError> {
        let at = &params.text_document_position_params;
        let none = Snapshot::default();
        self.on(&at.text_document.uri, |file| {
            let offset = file.text.offset(at.position, file.session.encoding);
            let snapshot = file.snapshot.unwrap_or(&none);
            navigation::definition(file.text, &file.checked.document, file.path, offset, snapshot)
        })
    }

    /// What a function makes of a checked file; `null` without such a file.
    fn on<T: Serialize>(&mut self, uri: &Uri, make: impl FnOnce(Opened<'_>) -> T) -> Result<Value, RpcError> {
        let Self { files, workspace, settings, session, snapshot, .. } = self;
        let Some(file) = files.get_mut(uri.as_str()) else { return Ok(Value::Null) };
        let (version, path) = (file.version, file.path.clone());
        let (Some(path), Some((text, checked))) = (path, file.checked(workspace, settings)) else {
            return Ok(Value::Null);
        };
        let (snapshot, agents) = (snapshot.as_ref(), workspace.agents());
        result(make(Opened { text, checked, path: &path, version, session, settings, snapshot, agents }))
    }

    fn links(&mut self, params: &DocumentLinkParams) -> Result<Value, RpcError> {
        self.on(&params.text_document.uri, |file| {
            navigation::links(file.text, &file.checked.document, file.path, file.session.encoding)
        })
    }

    fn symbols(&mut self, params: &DocumentSymbolParams) -> Result<Value, RpcError> {
        self.on(&params.text_document.uri, |file| {
            navigation::symbols(file.text, &file.checked.document, file.session.encoding)
        })
    }

    fn actions(&mut self, params: &CodeActionParams) -> Result<Value, RpcError> {
        let uri = &params.text_document.uri;
        self.on(uri, |file| {
            let actions = Actions {
                uri,
                path: file.path,
                version: file.version,
                text: file.text,
                checked: file.checked,
                settings: file.settings,
                encoding: file.session.encoding,
                versioned: file.session.versioned_edits,
            };
            actions.at(params.range, &params.context)
        })
    }

    fn lenses(&mut self, params: &CodeLensParams) -> Result<Value, RpcError> {
        let uri = &params.text_document.uri;
        self.on(uri, |file| {
            let cost = Cost::of(file.text.as_str(), file.checked, file.path);
            lens::lenses(uri, file.path, &cost, file.snapshot)
        })
    }

    fn format(&mut self, params: &DocumentFormattingParams) -> Result<Value, RpcError> {
        let mut refused = None;
        let edits = self.on(&params.text_document.uri, |file| {
            match formatting::format(file.text, file.checked, file.session.encoding) {
                Ok(edits) => edits,
                Err(why) => {
                    refused = Some(why);
                    Vec::new()
                }
            }
        });
        if let Some(why) = refused {
            self.show(&format!("not formatted: {why}"));
        }
        edits
    }

    fn diagnostic(&mut self, params: &DocumentDiagnosticParams) -> Value {
        let Self { files, workspace, settings, session, .. } = self;
        let found = match files.get_mut(params.text_document.uri.as_str()) {
            Some(file) => check::report(file, workspace, settings, session.encoding),
            None => Vec::new(),
        };
        json!({ "kind": "full", "items": found })
    }

    fn execute(&mut self, params: &ExecuteCommandParams) -> Result<Value, RpcError> {
        let wrong = || RpcError::new(INVALID_PARAMS, "the argument must be the address of an open skill");
        let uri = params.arguments.first().and_then(Value::as_str).and_then(|uri| uri.parse::<Uri>().ok());
        let uri = uri.ok_or_else(wrong)?;
        let shown = match params.command.as_str() {
            lens::SHOW_AGENTS => self.on(&uri, |file| {
                let verdicts = file.snapshot.and_then(|snapshot| snapshot.verdicts.get(file.path));
                verdicts.map_or_else(
                    || "the agents of this machine are not read yet".to_owned(),
                    |all| lens::details(all),
                )
            }),
            lens::SHOW_COST => {
                self.on(&uri, |file| Cost::of(file.text.as_str(), file.checked, file.path).details())
            }
            other => {
                return Err(RpcError::new(INVALID_PARAMS, format!("the server has no command `{other}`")));
            }
        }?;
        let text = shown.as_str().ok_or_else(wrong)?;
        self.show(text);
        Ok(shown)
    }
}

/// An open skill and everything that is known about it.
struct Opened<'a> {
    text: &'a crate::Text,
    checked: &'a check::Checked,
    path: &'a std::path::Path,
    version: i32,
    session: &'a crate::session::Session,
    settings: &'a crate::Settings,
    snapshot: Option<&'a Snapshot>,
    agents: &'a AgentProfiles,
}
