//! From the text of a header to its fields, with the agent's repair where it has one.

use super::{
    dialect::{self, Fault, Tree, Value},
    fence::Cut,
    lines, repair,
};
use serde_json::Value as Json;
use skillful_format::{Document, Sidecars, Soundness, yaml::Value as Yaml};
use skillful_profiles::{AgentProfile, Broken, Kinds, Null, Repair, RepairOn};

/// The fields of a header that a list of skills needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) name: Value,
    pub(super) description: Value,
    /// The key that keeps the skill from the model.
    pub(super) hidden_by: Option<&'static str>,
    /// The header is a program, so that nothing is known of its fields.
    pub(super) is_code: bool,
    pub(super) warnings: Vec<String>,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            name: Value::Missing,
            description: Value::Missing,
            hidden_by: None,
            is_code: false,
            warnings: Vec::new(),
        }
    }
}

/// Keys with which a skill keeps itself from the model, in agents that read them.
const HIDING_KEYS: [&str; 2] = ["disable-model-invocation", "hide"];

/// Reads a header of YAML.
pub(super) fn read(agent: &AgentProfile, cut: &Cut<'_>) -> Result<Fields, Fault> {
    let rule = &agent.header;
    let first = attempt(agent, cut.header);
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
    match (mended(agent, cut), first, rule.broken) {
        (Some(mended), first, _) => {
            let why = first.err().map_or_else(|| "a value is not text".to_owned(), |fault| fault.message);
            let warning = format!("{} loads it only after mending the header: {why}", agent.title);
            Ok(Fields { warnings: vec![warning], ..mended })
        }
        (None, Ok(fields), _) => Ok(fields),
        (None, Err(fault), Broken::NoMetadata) => {
            let warning = format!("{} ignores the header, which is broken: {}", agent.title, fault.message);
            Ok(Fields { warnings: vec![warning], ..Fields::default() })
        }
        (None, Err(fault), Broken::Refuse) => Err(fault),
    }
}

/// What the agent's repair makes of a header; `None` when it does not help.
fn mended(agent: &AgentProfile, cut: &Cut<'_>) -> Option<Fields> {
    let again = |text: String| {
        let changed = text != cut.header;
        attempt(agent, &text).ok().filter(|fields| changed && !has_wrong_kind(agent, fields))
    };
    match agent.header.repair {
        Repair::None => None,
        Repair::Quote => again(repair::quote(cut.header)),
        // Its pattern wants a bare fence and a closing one.
        Repair::Block => cut.is_plain.then(|| repair::block(cut.header)).and_then(again),
        Repair::Lines => {
            let (name, description) = lines::read(cut.header)?;
            Some(Fields {
                name: Value::Text(name),
                description: Value::Text(description),
                ..Fields::default()
            })
        }
        Repair::Skillful => own(cut.header),
    }
}

/// The repair of Skillful's own reader.
fn own(header: &str) -> Option<Fields> {
    let document = Document::read(format!("---\n{header}\n---\n").as_bytes(), &Sidecars::default());
    let text = |value: Option<String>| value.map_or(Value::Missing, Value::Text);
    (document.soundness != Soundness::Broken).then(|| Fields {
        name: text(document.manifest.name),
        description: text(document.manifest.description),
        hidden_by: document.manifest.disable_model_invocation.then_some(HIDING_KEYS[0]),
        ..Fields::default()
    })
}

fn attempt(agent: &AgentProfile, header: &str) -> Result<Fields, Fault> {
    let tree = dialect::read(header, &agent.header, &agent.fields)?;
    if !tree.is_map() {
        let message = "it is not keys and values".to_owned();
        let help = Some("write `name: …` and `description: …`, each on a line of its own".to_owned());
        return Err(Fault { line: None, message, help, our_bound: false });
    }
    Ok(Fields {
        name: tree.value("name", &agent.header),
        description: tree.value("description", &agent.header),
        hidden_by: HIDING_KEYS
            .into_iter()
            .find(|key| agent.fields.iter().any(|field| field == key) && is_true(&tree, key)),
        ..Fields::default()
    })
}

fn is_true(tree: &Tree<'_>, key: &str) -> bool {
    tree.node(key).is_some_and(|node| node.value == Yaml::Bool(true))
}

/// Whether a field holds what the agent does not take for text.
fn has_wrong_kind(agent: &AgentProfile, fields: &Fields) -> bool {
    let wrong = |value: &Value, kinds: Kinds| match value {
        Value::Missing | Value::Text(_) => false,
        Value::Null => agent.header.null == Null::WrongKind,
        Value::Scalar(_) => kinds == Kinds::Text,
        Value::Other(_) => true,
    };
    wrong(&fields.name, agent.name.kinds) || wrong(&fields.description, agent.description.kinds)
}

/// Reads a header of JSON.
pub(super) fn json(header: &str) -> Result<Fields, Fault> {
    let json: Json = serde_json::from_str(header).map_err(|error| Fault {
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
