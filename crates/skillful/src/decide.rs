//! What the router decides about a turn, with the models that the configuration describes.

use crate::{
    config::router::{ModelSection, ProviderWord},
    workspace::Workspace,
};
use skillful_catalog::{
    Catalog,
    access::{Way, is_open},
};
use skillful_format::{Code, Diagnostic};
use skillful_llm::{Client, Provider, SecretString, Wire, from_environment};
use skillful_route::{
    Author, Decider, Decision, DecisionRequest, Embed, Embeddings, Endpoint, Message, RemoteChat,
    Restriction, Route, Router,
};
use skillful_runtime::past_turns::FinishedTurn;
use skillful_select::turn::Turn;
use std::{
    path::Path,
    time::{Duration, SystemTime},
};

/// Skills that get a vector while the user waits for an answer.
const EMBEDDED_AT_ONCE: usize = 256;
/// How long that may take.
const EMBEDDING_TIME: Duration = Duration::from_secs(20);

/// What the router decided about a turn.
#[derive(Debug, Default)]
pub struct Routed {
    /// The decision; none where the configuration asks for none.
    pub decision: Option<Decision>,
    /// Why a model was not asked.
    pub diagnostics: Vec<Diagnostic>,
}

impl Workspace {
    /// Asks models over the proxy that the user has.
    pub fn model_client(&self) -> Result<Client, skillful_llm::Error> {
        match self.environment().variable("HTTPS_PROXY") {
            Some(proxy) => Client::with_proxy(&proxy),
            None => Ok(Client::default()),
        }
    }

    /// Lets the router choose a skill for a turn that came `now`, where the configuration asks for that (`router.decide`);
    /// the turn then holds its choice. Every caller that selects skills for a message asks this first, so that all of them
    /// select the same.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = skillful::Workspace::for_folder(folder.path(), folder.path());
    /// let mut turn = workspace.turn("write the release notes");
    /// let routed = workspace.route(&mut turn, &[], std::time::SystemTime::now());
    /// assert!(routed.decision.is_none(), "the router decides only where it is asked to");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn route(&self, turn: &mut Turn, history: &[FinishedTurn], now: SystemTime) -> Routed {
        if self.config().router.decide != Some(true) {
            return Routed::default();
        }
        let (catalog, router) = (self.catalog(), self.index());
        let open = |at| is_open(&catalog, at, self.asker(), Way::Route);
        let allowed = router.restrict(&open);
        let (decision, diagnostics) = self.decide(&catalog, &router, &allowed, &turn.message, history, now);
        turn.routed = chosen(&catalog, &decision);
        Routed { decision: Some(decision), diagnostics }
    }

    /// Decides about a message that came `now`, with the models that the configuration names. A model that cannot be used is
    /// skipped with a diagnostic.
    fn decide(
        &self,
        catalog: &Catalog,
        router: &Router,
        allowed: &Restriction,
        message: &str,
        history: &[FinishedTurn],
        now: SystemTime,
    ) -> (Decision, Vec<Diagnostic>) {
        let (settings, _) = self.config().router.settings();
        let cache = self.config().settings.cache.as_deref();
        let mut diagnostics = Vec::new();
        let mut decider = Decider::new(settings, cache);
        // A proxy that cannot be used is not bypassed: no model is asked then.
        let client = self.model_client().map_err(|error| {
            let found = Diagnostic::new(Code::ConfigInvalid, error.to_string());
            diagnostics.push(found.help("set HTTPS_PROXY to `http://host:port`, or unset it"));
        });
        if let (Some(section), Ok(client)) = (&self.config().router.classifier, &client)
            && let Some(provider) = self.provider(section, &mut diagnostics)
        {
            decider = decider.with_classifier(Box::new(RemoteChat::new(client.clone(), provider)));
        }
        if let Some(section) = &self.config().router.embeddings
            && let Some(model) = self.vectors(section, client.ok(), &mut diagnostics)
        {
            let embeddings = Embeddings::new(model, cache);
            let progress = embeddings.embed_missing(router, catalog, EMBEDDED_AT_ONCE, EMBEDDING_TIME);
            if let Some(why) = progress.failed {
                let found = Diagnostic::new(Code::ConfigInvalid, format!("skills got no vectors: {why}"));
                diagnostics.push(found.help("look at `[router.embeddings]`; until then words alone count"));
            }
            decider = decider.with_embeddings(embeddings);
        }
        let past: Vec<Message<'_>> = history
            .iter()
            .map(|record| Message {
                author: Author::User,
                text: &record.message,
                at: Some(Duration::from_secs(record.at)),
            })
            .collect();
        let at = now.duration_since(SystemTime::UNIX_EPOCH).ok();
        let message = Message { author: Author::User, text: message, at };
        let asked = DecisionRequest { message, history: &past, allowed, now };
        (decider.decide(router, catalog, &asked), diagnostics)
    }

    /// The model of vectors that a section names: a folder on this machine, or a server.
    fn vectors(
        &self,
        section: &ModelSection,
        client: Option<Client>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Box<dyn Embed>> {
        let Some(folder) = &section.folder else {
            let endpoint = Endpoint::new(client?, self.provider(section, diagnostics)?);
            return Some(Box::new(endpoint));
        };
        match local_model(folder) {
            Ok(model) => Some(model),
            Err(why) => {
                let message = format!("the model in `{}` is not used: {why}", folder.display());
                diagnostics.push(Diagnostic::new(Code::ConfigInvalid, message).in_path(&self.paths().config));
                None
            }
        }
    }

    /// The model that a section names.
    fn provider(&self, section: &ModelSection, diagnostics: &mut Vec<Diagnostic>) -> Option<Provider> {
        let wire = match section.provider {
            ProviderWord::Anthropic => Wire::Anthropic,
            ProviderWord::Openai => Wire::OpenAi,
            ProviderWord::OpenaiResponses => Wire::Responses,
        };
        let refuse = |message: String| {
            Diagnostic::new(
                Code::ConfigInvalid,
                format!("the model `{}` is not used: {message}", section.model),
            )
            .in_path(&self.paths().config)
        };
        let own_key = section.key_variable.as_deref().and_then(|name| self.environment().variable(name));
        let provider = match &section.base_url {
            // The key that everybody uses goes to the address that everybody uses, and to no other.
            Some(address) => {
                let key = own_key.as_deref().map(SecretString::from);
                Provider::new(wire, address, &section.model, key).map(Some)
            }
            None => from_environment(&self.environment().variables, wire, &section.model).map(|found| {
                found.map(|provider| match &own_key {
                    Some(key) => Provider { key: Some(SecretString::from(key.trim())), ..provider },
                    None => provider,
                })
            }),
        };
        match provider {
            Ok(Some(provider)) => Some(provider),
            Ok(None) => {
                diagnostics.push(
                    refuse("nothing says where it answers".to_owned())
                        .help("set `base_url`, or OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment"),
                );
                None
            }
            Err(fault) => {
                diagnostics.push(refuse(fault.to_string()));
                None
            }
        }
    }
}

/// A model on this machine.
#[cfg(feature = "local-model")]
fn local_model(folder: &Path) -> Result<Box<dyn Embed>, String> {
    let model = skillful_route::LocalModel::open(folder).map_err(|error| error.to_string())?;
    Ok(Box::new(model))
}

/// A program that runs no models says how to get one that does.
#[cfg(not(feature = "local-model"))]
fn local_model(_: &Path) -> Result<Box<dyn Embed>, String> {
    Err("this program was built without the feature `local-model`".to_owned())
}

/// The address of the skill that a decision chooses.
fn chosen(catalog: &Catalog, decision: &Decision) -> Option<String> {
    let at = decision.skill.filter(|_| decision.route == Route::Activate)?;
    Some(catalog.entries[at].address())
}
