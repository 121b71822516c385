use super::*;
use skillful::{Environment, Options};
use skillful_llm::ExposeSecret;

/// A workspace of an empty home with these variables and this configuration.
fn workspace(variables: &[(&str, &str)], config: &str) -> (tempfile::TempDir, Workspace) {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let mut variables: BTreeMap<String, String> = variables.iter().map(own).collect();
    variables.insert("SKILLFUL_HOME".to_owned(), home.path().display().to_string());
    let environment = Environment {
        cwd: home.path().to_path_buf(),
        home: home.path().to_path_buf(),
        variables,
        ..Environment::default()
    };
    let workspace = Workspace::open(environment, Options { no_cache: true, ..Options::default() });
    assert!(workspace.diagnostics().is_empty(), "{:?}", workspace.diagnostics());
    (home, workspace)
}

fn usual(variables: &[(&str, &str)], config: &str, wanted: Option<&str>) -> (String, String) {
    let (_home, workspace) = workspace(variables, config);
    let line = Models::of(&workspace).connect(wanted).unwrap().unwrap().models.usual;
    (line.provider.model, line.provider.base_url.as_str().to_owned())
}

#[test]
fn no_model_is_connected_without_a_key_or_an_address() {
    for variables in [&[][..], &[("ANTHROPIC_API_KEY", "")]] {
        let (_home, workspace) = workspace(variables, "");
        assert!(Models::of(&workspace).connect(None).unwrap().is_none());
        let failure = Models::of(&workspace).connect(Some("claude-x")).unwrap_err();
        assert!(failure.message.contains("no provider is connected") && failure.message.contains("--model"));
    }
}

#[test]
fn the_command_line_is_above_the_variable_above_the_file_above_the_providers_variable() {
    let mut variables = vec![("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_MODEL", "claude-variable")];
    assert_eq!(usual(&variables, "", None).0, "claude-variable");
    let file = "[assistant]\nmodel = \"claude-file\"\n";
    assert_eq!(usual(&variables, file, None).0, "claude-file");
    variables.push((MODEL_VARIABLE, "claude-ours"));
    assert_eq!(usual(&variables, file, None).0, "claude-ours");
    assert_eq!(usual(&variables, file, Some("claude-flag")).0, "claude-flag");
}

#[test]
fn a_name_goes_to_the_provider_that_such_names_belong_to() {
    let variables = [("ANTHROPIC_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")];
    let at = |config: &str, word| usual(&variables, config, Some(word));
    assert_eq!(at("", "claude-x").1, Wire::Anthropic.home());
    assert_eq!(at("", "llama3:8b").1, "http://127.0.0.1:9/v1");
    assert_eq!(at("", "openai/org/model"), ("org/model".into(), "http://127.0.0.1:9/v1".into()));
    let local = "[providers.local]\nbase_url = \"http://127.0.0.1:8\"\n";
    assert_eq!(at(local, "local/claude-x"), ("claude-x".into(), "http://127.0.0.1:8".into()));
}

#[test]
fn a_shared_key_never_goes_to_an_address_of_the_configuration() {
    let config = "[providers.bare]\nbase_url = \"http://127.0.0.1:8\"\n\
                  [providers.keyed]\nbase_url = \"http://127.0.0.1:8\"\nkey_variable = \"MY_KEY\"\n";
    let (_home, workspace) = workspace(&[("OPENAI_API_KEY", "shared"), ("MY_KEY", "mine")], config);
    let key = |word| Models::of(&workspace).connect(Some(word)).unwrap().unwrap().models.usual.provider.key;
    assert!(key("bare/m").is_none());
    assert_eq!(key("keyed/m").unwrap().expose_secret(), "mine");
    assert_eq!(key("openai/m").unwrap().expose_secret(), "shared");
}

#[test]
fn classes_and_aliases_carry_their_own_figures() {
    let config = "[assistant]\nwindow = 50000\n\
                  [models]\nopus = \"anthropic/claude-mine\"\nlost = \"openai/gpt\"\n\
                  [models.deep]\nmodel = \"claude-deep\"\nwindow = 1000000\n";
    let (_home, workspace) = workspace(&[("ANTHROPIC_API_KEY", "k")], config);
    let connected = Models::of(&workspace).connect(None).unwrap().unwrap();
    let named = &connected.models.named;
    assert_eq!(connected.models.usual.window, 50_000);
    assert_eq!((named["deep"].window, named["opus"].window), (1_000_000, 200_000));
    assert_eq!(named["opus"].provider.model, "claude-mine");
    assert_eq!(named["sonnet"].provider.model, "claude-sonnet-5-5");
    assert!(!named.contains_key("lost"));
    assert_eq!(connected.notes.len(), 1);
    let deep = Models::of(&workspace).connect(Some("Deep")).unwrap().unwrap().models.usual;
    assert_eq!(deep.provider.model, "claude-deep");
}
