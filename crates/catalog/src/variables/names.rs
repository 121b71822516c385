//! Which variables a skill may be given by name: those that it declares, and never a key of a model provider.

use crate::entry::Entry;
use std::collections::BTreeSet;

/// Keys of model providers, and of tools that call models for the user. They pay for the user's own assistant.
const PROVIDER_KEYS: [&str; 24] = [
    "AI_GATEWAY_API_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AZURE_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "CEREBRAS_API_KEY",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CODEX_API_KEY",
    "COHERE_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "MOONSHOT_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "PERPLEXITY_API_KEY",
    "TOGETHER_API_KEY",
    "XAI_API_KEY",
    "ZAI_API_KEY",
];

/// A variable of the environment with one of these in its name is a secret.
const SECRET_NAMES: [&str; 6] = ["TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "COOKIE"];
/// The same for the end of a word of a name; inside a word they are parts of others, such as of `AUTHOR`.
const SECRET_WORDS: [&str; 6] = ["KEY", "KEYS", "PASS", "AUTH", "DSN", "AUTHORIZATION"];

/// Whether the name of a variable of the environment says that its value is a secret.
pub fn says_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let mut words = name.split(|one: char| !one.is_ascii_alphanumeric());
    SECRET_NAMES.iter().any(|part| name.contains(part))
        || words.any(|word| SECRET_WORDS.iter().any(|end| word.ends_with(end)))
}

/// Whether a variable holds the key of a model provider.
pub fn is_provider_key(name: &str) -> bool {
    PROVIDER_KEYS.iter().any(|key| key.eq_ignore_ascii_case(name))
}

/// The variables that a skill declares: `env`, `vars`, what it requires, and what its sidecar asks for.
pub fn declared(entry: &Entry) -> BTreeSet<String> {
    let (manifest, sidecar) = (&entry.loaded.manifest, &entry.loaded.sidecar);
    let required = manifest.requires.env.iter().chain(&sidecar.requires.env).cloned();
    let env = manifest.env.iter().map(|spec| spec.var.clone());
    let vars = manifest.vars.iter().map(|(name, _)| name.clone());
    let tools = sidecar.tools.iter().filter(|tool| tool.kind == "env_var");
    required.chain(env).chain(vars).chain(tools.map(|tool| tool.value.clone())).collect()
}
