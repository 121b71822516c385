use super::*;
use crate::{args::Global, config::assistant::ProviderSection, output::ColorWhen};

fn context(variables: &[(&str, &str)]) -> Context {
    let global = Global {
        json: false,
        directory: None,
        color: ColorWhen::Never,
        root: Vec::new(),
        trust_project: false,
        touch: Vec::new(),
        no_cache: true,
    };
    let mut context = Context::new(&global).unwrap();
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    context.environment.variables = variables.iter().map(own).collect();
    context.config = crate::config::Config::default();
    context
}

fn usual(context: &Context, wanted: Option<&str>) -> (String, String) {
    let line = context.connect(wanted).unwrap().unwrap().roster.usual;
    (line.provider.model, line.provider.base_url.as_str().to_owned())
}

#[test]
fn nobody_is_connected_without_a_key_or_an_address() {
    assert!(context(&[]).connect(None).unwrap().is_none());
    assert!(context(&[("ANTHROPIC_API_KEY", "")]).connect(None).unwrap().is_none());
    let failure = context(&[]).connect(Some("claude-x")).unwrap_err();
    assert!(failure.message.contains("no provider is connected") && failure.message.contains("--model"));
}

#[test]
fn the_command_line_is_above_the_variable_above_the_file_above_the_providers_variable() {
    let variables = [("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_MODEL", "claude-variable")];
    let mut context = context(&variables);
    assert_eq!(usual(&context, None).0, "claude-variable");
    context.config.assistant.assistant.model = Some("claude-file".to_owned());
    assert_eq!(usual(&context, None).0, "claude-file");
    context.environment.variables.insert(MODEL_VARIABLE.to_owned(), "claude-ours".to_owned());
    assert_eq!(usual(&context, None).0, "claude-ours");
    assert_eq!(usual(&context, Some("claude-flag")).0, "claude-flag");
}

#[test]
fn a_name_goes_to_the_provider_that_such_names_belong_to() {
    let variables = [("ANTHROPIC_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")];
    let mut context = context(&variables);
    assert_eq!(usual(&context, Some("claude-x")).1, Wire::Anthropic.home());
    assert_eq!(usual(&context, Some("llama3:8b")).1, "http://127.0.0.1:9/v1");
    assert_eq!(
        usual(&context, Some("openai/org/model")),
        ("org/model".into(), "http://127.0.0.1:9/v1".into())
    );
    let local = ProviderSection { base_url: Some("http://127.0.0.1:8".into()), ..ProviderSection::default() };
    context.config.assistant.providers.insert("local".to_owned(), local);
    assert_eq!(usual(&context, Some("local/claude-x")), ("claude-x".into(), "http://127.0.0.1:8".into()));
}

#[test]
fn a_shared_key_never_goes_to_an_address_of_the_configuration() {
    let mut context = context(&[("OPENAI_API_KEY", "shared"), ("MY_KEY", "mine")]);
    let at = |key: Option<&str>| ProviderSection {
        base_url: Some("http://127.0.0.1:8".into()),
        key_variable: key.map(str::to_owned),
        ..ProviderSection::default()
    };
    context.config.assistant.providers.insert("bare".to_owned(), at(None));
    context.config.assistant.providers.insert("keyed".to_owned(), at(Some("MY_KEY")));
    let key = |word| context.connect(Some(word)).unwrap().unwrap().roster.usual.provider.key;
    assert!(key("bare/m").is_none());
    assert_eq!(key("keyed/m").unwrap().reveal(), "mine");
    assert_eq!(key("openai/m").unwrap().reveal(), "shared");
}

#[test]
fn classes_and_aliases_carry_their_own_figures() {
    let mut context = context(&[("ANTHROPIC_API_KEY", "k")]);
    context.config.assistant.assistant.window = Some(50_000);
    let table = ModelTable { model: "claude-deep".into(), window: Some(1_000_000), ..ModelTable::default() };
    context.config.assistant.models.insert("deep".to_owned(), ModelEntry::Table(table));
    context
        .config
        .assistant
        .models
        .insert("opus".to_owned(), ModelEntry::Word("anthropic/claude-mine".into()));
    context.config.assistant.models.insert("lost".to_owned(), ModelEntry::Word("openai/gpt".into()));
    let connected = context.connect(None).unwrap().unwrap();
    let named = &connected.roster.named;
    assert_eq!(connected.roster.usual.window, 50_000);
    assert_eq!((named["deep"].window, named["opus"].window), (1_000_000, 200_000));
    assert_eq!(named["opus"].provider.model, "claude-mine");
    assert_eq!(named["sonnet"].provider.model, "claude-sonnet-5-5");
    assert!(!named.contains_key("lost"));
    assert_eq!(connected.notes.len(), 1);
    assert_eq!(usual(&context, Some("Deep")).0, "claude-deep");
}
