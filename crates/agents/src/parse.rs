//! Decodes the text of the frontmatter to fields, with the agent's repair if it has one.

use super::{
    dialect::{self, Fault, Tree, Value},
    fence::Cut,
    lines, repair,
};
use serde_json::Value as Json;
use skillful_format::{Document, Sidecars, Soundness, yaml::Value as Yaml};
use skillful_profiles::{AgentProfile, Broken, Kinds, NotAMap, Null, Repair, RepairOn, Truth};

/// The frontmatter fields that a list of skills needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) name: Value,
    pub(super) description: Value,
    /// Text that the agent appends to the description.
    pub(super) when_to_use: Option<String>,
    /// Why the agent hides the skill from the model.
    pub(super) hidden: Option<String>,
    /// Why the agent does not offer the skill yet.
    pub(super) waits: Option<String>,
    /// The frontmatter is a program, so its fields are unknown.
    pub(super) is_code: bool,
    pub(super) warnings: Vec<String>,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            name: Value::Missing,
            description: Value::Missing,
            when_to_use: None,
            hidden: None,
            waits: None,
            is_code: false,
            warnings: Vec::new(),
        }
    }
}

/// Keys that hide a skill from the model, in agents that read them.
const HIDING_KEYS: [&str; 2] = ["disable-model-invocation", "hide"];

const TRUE_WORDS: [&str; 4] = ["true", "yes", "on", "1"];

/// Reads YAML frontmatter.
pub(super) fn read(agent: &AgentProfile, cut: &Cut<'_>) -> Result<Fields, Fault> {
    let rule = &agent.frontmatter;
    let first = attempt(agent, cut.frontmatter);
    let suffices = match (&first, rule.repair_on) {
        (Err(_), _) => false,
        (Ok(_), RepairOn::Syntax) => true,
        (Ok(fields), RepairOn::WrongKind) => !has_wrong_kind(agent, fields),
        (Ok(fields), RepairOn::NotText) => {
            matches!((&fields.name, &fields.description), (Value::Text(_), Value::Text(_)))
        }
    };
    if suffices {
        return first;
    }
    match (repaired(agent, cut), first, rule.broken) {
        (Some(repaired), first, _) => {
            let why = first.err().map_or_else(|| "a value is not text".to_owned(), |fault| fault.message);
            let warning = format!("{} loads it only after repairing the frontmatter: {why}", agent.title);
            Ok(Fields { warnings: vec![warning], ..repaired })
        }
        (None, Ok(fields), _) => Ok(fields),
        (None, Err(fault), Broken::NoMetadata) => {
            let warning =
                format!("{} ignores the frontmatter, which is broken: {}", agent.title, fault.message);
            Ok(Fields { warnings: vec![warning], ..Fields::default() })
        }
        (None, Err(fault), Broken::Refuse) => Err(fault),
    }
}

/// The fields after the agent's repair; `None` when the repair does not help.
fn repaired(agent: &AgentProfile, cut: &Cut<'_>) -> Option<Fields> {
    let again = |text: String| {
        let changed = text != cut.frontmatter;
        attempt(agent, &text).ok().filter(|fields| changed && !has_wrong_kind(agent, fields))
    };
    match agent.frontmatter.repair {
        Repair::None | Repair::Quote | Repair::QuoteWords | Repair::Block | Repair::QuoteColons => {
            rewritten(agent, cut).and_then(again)
        }
        Repair::Lines => {
            let (name, description) = lines::read(cut.frontmatter)?;
            Some(Fields {
                name: Value::Text(name),
                description: Value::Text(description),
                ..Fields::default()
            })
        }
        Repair::KeyLines => {
            let mut fields = lines::keys(cut.frontmatter);
            let mut text = |key: &str| fields.remove(key).map_or(Value::Missing, Value::Text);
            let (name, description) = (text("name"), text("description"));
            let is_hidden = fields.get(HIDING_KEYS[0]).is_some_and(|word| word == "true");
            Some(Fields {
                name,
                description,
                when_to_use: fields.remove("when_to_use"),
                hidden: is_hidden.then(|| is_true_text(HIDING_KEYS[0])),
                ..Fields::default()
            })
        }
        Repair::Skillful => own(cut.frontmatter),
    }
}

/// The frontmatter as the agent's repair writes it again; `None` for an agent whose repair is another reader.
pub(super) fn rewritten(agent: &AgentProfile, cut: &Cut<'_>) -> Option<String> {
    match agent.frontmatter.repair {
        Repair::Quote => Some(repair::quote(cut.frontmatter)),
        Repair::QuoteWords => Some(repair::quote_words(cut.frontmatter)),
        // The pattern of this repair requires a bare opening fence and a closing fence.
        Repair::Block => cut.is_plain.then(|| repair::block(cut.frontmatter)),
        Repair::QuoteColons => cut.is_plain.then(|| repair::quote_colons(cut.frontmatter)),
        Repair::None | Repair::Lines | Repair::KeyLines | Repair::Skillful => None,
    }
}

/// Applies the repair of Skillful's own reader.
fn own(frontmatter: &str) -> Option<Fields> {
    let document = Document::read(format!("---\n{frontmatter}\n---\n").as_bytes(), &Sidecars::default());
    let text = |value: Option<String>| value.map_or(Value::Missing, Value::Text);
    (document.soundness != Soundness::Broken).then(|| Fields {
        name: text(document.manifest.name),
        description: text(document.manifest.description),
        hidden: document.manifest.disable_model_invocation.then(|| is_true_text(HIDING_KEYS[0])),
        ..Fields::default()
    })
}

fn attempt(agent: &AgentProfile, frontmatter: &str) -> Result<Fields, Fault> {
    let trimmed = if agent.frontmatter.trim_start { frontmatter.trim_start() } else { frontmatter };
    let before = frontmatter[..frontmatter.len() - trimmed.len()].matches('\n').count();
    let trimmed = if agent.frontmatter.trim_end { trimmed.trim_end() } else { trimmed };
    let tree = dialect::read(trimmed, &agent.frontmatter, &agent.fields).map_err(|fault| {
        let line = fault.line.map(|line| line.saturating_add(u32::try_from(before).unwrap_or(u32::MAX)));
        Fault { line, ..fault }
    })?;
    if !tree.is_map() && agent.frontmatter.not_a_map == NotAMap::NoKeys {
        return Ok(Fields::default());
    }
    if !tree.is_map() {
        let message = "it is not a mapping of keys to values".to_owned();
        let help = Some("write `name: …` and `description: …`, each on a line of its own".to_owned());
        return Err(Fault { line: None, message, help, our_bound: false });
    }
    let reads = |key: &str| agent.fields.iter().any(|field| field == key);
    let hidden = HIDING_KEYS
        .into_iter()
        .find(|key| reads(key) && is_true(&tree, key, agent.frontmatter.truth))
        .map(is_true_text);
    let waits = || {
        let has_paths = reads("paths") && has_patterns(&tree);
        has_paths.then(|| "`paths` keeps it back until a file that it names is used".to_owned())
    };
    let when_to_use = reads("when_to_use").then(|| tree.value("when_to_use", &agent.frontmatter));
    Ok(Fields {
        name: tree.value("name", &agent.frontmatter),
        description: tree.value("description", &agent.frontmatter),
        when_to_use: match when_to_use {
            Some(Value::Text(text) | Value::Scalar(text)) if !text.is_empty() => Some(text),
            _ => None,
        },
        hidden,
        waits: waits(),
        ..Fields::default()
    })
}

fn is_true_text(key: &str) -> String {
    format!("`{key}` is true")
}

/// Whether `paths` names files, and not all of them.
fn has_patterns(tree: &Tree<'_>) -> bool {
    let names_all = |text: &str| text.split(',').map(str::trim).all(|path| matches!(path, "" | "**"));
    match tree.node("paths").map(|node| &node.value) {
        Some(Yaml::List(items)) => !items.iter().filter_map(|item| item.scalar()).all(names_all),
        Some(Yaml::Text(text)) => !names_all(text),
        _ => false,
    }
}

fn is_true(tree: &Tree<'_>, key: &str, truth: Truth) -> bool {
    tree.node(key).is_some_and(|node| match truth {
        Truth::Boolean => node.value == Yaml::Bool(true),
        Truth::Words => {
            node.scalar().is_some_and(|word| TRUE_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)))
        }
    })
}

/// Whether a field has a type that the agent does not accept as text.
fn has_wrong_kind(agent: &AgentProfile, fields: &Fields) -> bool {
    let wrong = |value: &Value, kinds: Kinds| match value {
        Value::Missing | Value::Text(_) => false,
        Value::Null => agent.frontmatter.null == Null::WrongKind,
        Value::Scalar(_) => kinds == Kinds::Text,
        Value::Other(_) => true,
    };
    wrong(&fields.name, agent.name.kinds) || wrong(&fields.description, agent.description.kinds)
}

/// Reads JSON frontmatter.
pub(super) fn json(frontmatter: &str) -> Result<Fields, Fault> {
    let json: Json = serde_json::from_str(frontmatter).map_err(|error| Fault {
        line: u32::try_from(error.line()).ok(),
        message: format!("it is not JSON: {error}"),
        help: None,
        our_bound: false,
    })?;
    let value = |key: &str| match json.get(key) {
        None => Value::Missing,
        Some(Json::Null) => Value::Null,
        Some(Json::String(text)) => Value::Text(text.clone()),
        Some(Json::Array(_)) => Value::Other("a list"),
        Some(Json::Object(_)) => Value::Other("a mapping"),
        Some(scalar) => Value::Scalar(scalar.to_string()),
    };
    Ok(Fields { name: value("name"), description: value("description"), ..Fields::default() })
}
