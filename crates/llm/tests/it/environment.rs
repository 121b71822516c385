use skillful_llm::{BadUrl, BaseUrl, Provider, Wire, from_environment};
use std::collections::BTreeMap;

fn read(variables: &[(&str, &str)], wire: Wire) -> Result<Option<Provider>, BadUrl> {
    let variables: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    from_environment(&variables, wire, "m")
}

#[test]
fn without_variables_no_provider_is_configured() {
    assert!(matches!(read(&[], Wire::Anthropic), Ok(None)));
    assert!(matches!(read(&[("ANTHROPIC_API_KEY", "  ")], Wire::Anthropic), Ok(None)));
    assert!(matches!(read(&[("OPENAI_API_KEY", "k")], Wire::Anthropic), Ok(None)));
}

#[test]
fn a_key_alone_uses_the_vendor_s_address() {
    let provider = read(&[("ANTHROPIC_API_KEY", "k")], Wire::Anthropic).unwrap().unwrap();
    assert_eq!(provider.chat_url(), "https://api.anthropic.com/v1/messages");
    let provider = read(&[("OPENAI_API_KEY", "k")], Wire::OpenAi).unwrap().unwrap();
    assert_eq!(provider.chat_url(), "https://api.openai.com/v1/chat/completions");
    assert_eq!(provider.embeddings_url(), "https://api.openai.com/v1/embeddings");
}

#[test]
fn an_address_alone_needs_no_key() {
    let provider = read(&[("OPENAI_BASE_URL", "http://localhost:11434/v1/")], Wire::OpenAi).unwrap().unwrap();
    assert!(provider.key.is_none());
    assert_eq!(provider.chat_url(), "http://localhost:11434/v1/chat/completions");
    assert_eq!(provider.id(), "http://localhost:11434/v1 m");
}

#[test]
fn an_anthropic_address_may_hold_its_version() {
    for address in ["https://proxy/x", "https://proxy/x/", "https://proxy/x/v1", "https://proxy/x/v1/"] {
        let provider = read(&[("ANTHROPIC_BASE_URL", address)], Wire::Anthropic).unwrap().unwrap();
        assert_eq!(provider.chat_url(), "https://proxy/x/v1/messages");
    }
}

#[test]
fn an_address_with_extra_parts_is_refused() {
    let check = |text: &str, why: BadUrl| assert_eq!(BaseUrl::new(text), Err(why), "{text}");
    check("", BadUrl::Scheme);
    check("ftp://host", BadUrl::Scheme);
    check("file:///etc/passwd", BadUrl::Scheme);
    check("https://", BadUrl::Scheme);
    check("https:///path", BadUrl::Host);
    check("https://:443", BadUrl::Host);
    check("https://me:secret@host", BadUrl::Credentials);
    check("https://host/?key=secret", BadUrl::Characters);
    check("https://host/#x", BadUrl::Characters);
    check("https://ho st", BadUrl::Characters);
    check("https://host\\@evil", BadUrl::Credentials);
}

#[test]
fn a_key_is_sent_encrypted_or_only_to_this_machine() {
    for (address, private) in [
        ("https://example.org", true),
        ("http://localhost:1", true),
        ("http://127.0.0.1:1/v1", true),
        ("http://[::1]:1/v1", true),
        ("http://example.org", false),
        ("http://192.168.1.2:8000", false),
        ("http://localhost.evil.org", false),
        ("http://127.0.0.1.evil.org", false),
    ] {
        assert_eq!(BaseUrl::new(address).unwrap().is_private(), private, "{address}");
    }
}
