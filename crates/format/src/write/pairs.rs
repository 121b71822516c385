//! Converts a manifest to keys and values, in the order of the writer.

use super::canonical::join;
use crate::{
    field::FIELDS,
    manifest::{EnvSpec, Manifest, McpServer, Requires, ToolGrant, Variable, gate_key},
    yaml::Data,
};

/// Every value of a manifest that is not a default.
pub(super) fn of(manifest: &Manifest) -> Vec<(String, Data)> {
    let mut pairs: Vec<(String, Data)> = FIELDS
        .iter()
        .filter_map(|field| {
            // A gate that could not be read must stay unreadable in the copy.
            let closed = field.gate && manifest.closed_gates.iter().any(|gate| gate == field.name);
            let data = if closed { Some(unreadable()) } else { value(manifest, field.name) };
            data.map(|data| (field.name.to_owned(), data))
        })
        .collect();
    pairs.extend(manifest.extra.iter().cloned());
    pairs
}

fn unreadable() -> Data {
    Data::Map(vec![("unreadable".to_owned(), Data::Bool(true))])
}

fn value(m: &Manifest, name: &str) -> Option<Data> {
    match name {
        "name" => text(m.name.as_ref()),
        "description" => text(m.description.as_ref()),
        "when_to_use" => text(m.when_to_use.as_ref()),
        "license" => text(m.license.as_ref()),
        "compatibility" => text(m.compatibility.as_ref()),
        "version" => text(m.version.as_ref()),
        "allowed-tools" => m.allowed_tools.as_deref().map(tools),
        "disallowed-tools" => some(&m.disallowed_tools).map(|grants| tools(grants)),
        "argument-hint" => text(m.argument_hint.as_ref()),
        "arguments" => list(&m.arguments),
        "disable-model-invocation" => flag(m.disable_model_invocation),
        "user-invocable" => (!m.user_invocable).then_some(Data::Bool(false)),
        "model" => text(m.model.as_ref()),
        "model_tier" => text(m.model_tier.as_ref()),
        "effort" => text(m.effort.as_ref()),
        "context" => m.context_fork.then(|| Data::Text("fork".to_owned())),
        "agent" => text(m.agent.as_ref()),
        "background" => m.background.map(Data::Bool),
        "shell" => text(m.shell.as_ref()),
        "paths" => list(&m.paths),
        "always_include" => flag(m.always_include),
        "triggers" => list(&m.triggers),
        "source_types" => list(&m.source_types),
        "file_types" => list(&m.file_types),
        "resource_types" => list(&m.resource_types),
        "companion_skills" => list(&m.companion_skills),
        "exclude_skills" => list(&m.exclude_skills),
        "exclude_memory" => flag(m.exclude_memory),
        "exclude_persona" => flag(m.exclude_persona),
        "exclude_resources" => flag(m.exclude_resources),
        "dependencies" => list(&m.dependencies),
        "requires" => requires(&m.requires),
        "requires_capability" => list(&m.requires_capability),
        "admin_only" => flag(m.admin_only),
        "experimental" => flag(m.experimental),
        "cli" => flag(m.cli),
        "env" => some(&m.env).map(|specs| Data::List(specs.iter().map(env).collect())),
        "vars" => {
            some(&m.vars).map(|vars| Data::Map(vars.iter().map(|(k, v)| (k.clone(), variable(v))).collect()))
        }
        "mcp" => m.mcp.as_ref().map(server),
        "next_skill" => text(m.next_skill.as_ref()),
        "conditional_next_skills" => some(&m.conditional_next_skills)
            .map(|pairs| Data::Map(pairs.iter().map(|(k, v)| (k.clone(), Data::Text(v.clone()))).collect())),
        "hooks" => m.hooks.clone(),
        "override" => text(m.override_mode.as_ref()),
        "metadata" => some(&m.metadata).map(|pairs| Data::Map(pairs.clone())),
        _ => None,
    }
}

fn text(value: Option<&String>) -> Option<Data> {
    value.cloned().map(Data::Text)
}

fn flag(value: bool) -> Option<Data> {
    value.then_some(Data::Bool(true))
}

fn some<T>(items: &Vec<T>) -> Option<&Vec<T>> {
    (!items.is_empty()).then_some(items)
}

fn list(items: &[String]) -> Option<Data> {
    (!items.is_empty()).then(|| texts(items))
}

fn texts(items: &[String]) -> Data {
    Data::List(items.iter().cloned().map(Data::Text).collect())
}

fn tools(grants: &[ToolGrant]) -> Data {
    let words: Vec<String> = grants.iter().map(ToString::to_string).collect();
    join(&words).map_or_else(|| texts(&words), Data::Text)
}

fn requires(requires: &Requires) -> Option<Data> {
    let binary: Vec<Data> = requires
        .binary
        .iter()
        .map(|choice| match choice.as_slice() {
            [one] => Data::Text(one.clone()),
            several => texts(several),
        })
        .collect();
    let parts = [
        ("env", list(&requires.env)),
        ("binary", (!binary.is_empty()).then_some(Data::List(binary))),
        ("skills", list(&requires.skills)),
        ("mcp", list(&requires.mcp)),
    ];
    some(&present(parts)).map(|pairs| Data::Map(pairs.clone()))
}

fn present<const N: usize>(parts: [(&str, Option<Data>); N]) -> Vec<(String, Data)> {
    parts.into_iter().filter_map(|(key, data)| Some((key.to_owned(), data?))).collect()
}

fn env(spec: &EnvSpec) -> Data {
    let mut pairs = present([
        ("var", Some(Data::Text(spec.var.clone()))),
        ("from", text(spec.from.as_ref())),
        ("config_path", text(spec.config_path.as_ref())),
        ("when", list(&spec.when)),
        ("service", text(spec.service.as_ref())),
        ("key", text(spec.key.as_ref())),
        ("template", text(spec.template.as_ref())),
        ("user_path_fn", text(spec.user_path_fn.as_ref())),
        ("fallback_var", text(spec.fallback_var.as_ref())),
        ("sensitive", flag(spec.sensitive)),
        ("proxy_only", flag(spec.proxy_only)),
    ]);
    pairs.extend(spec.gates.iter().map(|gate| (gate_key(gate), Data::Bool(true))));
    pairs.extend(spec.rest.iter().cloned());
    Data::Map(pairs)
}

fn variable(variable: &Variable) -> Data {
    Data::Map(present([
        ("description", text(variable.description.as_ref())),
        ("default", text(variable.default.as_ref())),
        ("required", flag(variable.required)),
        ("secret", flag(variable.secret)),
        ("expose_to_model", flag(variable.expose_to_model)),
    ]))
}

fn server(server: &McpServer) -> Data {
    let env = server.env.iter().map(|(key, value)| (key.clone(), Data::Text(value.clone()))).collect();
    let number = |value: Option<u32>| value.map(|value| Data::Number(value.to_string()));
    let mut pairs = present([
        ("command", text(server.command.as_ref())),
        ("args", list(&server.args)),
        ("url", text(server.url.as_ref())),
        ("env", (!server.env.is_empty()).then_some(Data::Map(env))),
        ("startup_timeout", number(server.startup_timeout)),
        ("idle_timeout", number(server.idle_timeout)),
    ]);
    pairs.extend(server.rest.iter().cloned());
    Data::Map(pairs)
}
