//! A key is sent to the server and appears nowhere else.

use skillful_llm::{Client, Error, ExposeSecret, Limits, Provider, Request, SecretString, Wire};
use skillful_testkit::{ModelAnswer, ModelServer};
use std::time::Duration;

const KEY: &str = "sk-very-secret-0123456789";

fn provider(url: &str, wire: Wire) -> Provider {
    Provider::new(wire, url, "m", Some(SecretString::from(KEY))).unwrap()
}

fn complete(provider: &Provider) -> Result<String, Error> {
    let limits = Limits { timeout: Duration::from_secs(10) };
    Client::default().complete(provider, &Request::new("s", "q", 8), limits).map(|reply| reply.text())
}

fn hides_it(what: &str) {
    assert!(!what.contains(KEY) && !what.contains("sk-v"), "{what}");
}

#[test]
fn debug_output_never_contains_the_key() {
    let provider = provider("https://example.org", Wire::Anthropic);
    hides_it(&format!("{provider:?} {provider:#?} {:?}", provider.key));
    hides_it(&provider.id());
    assert_eq!(format!("{:?}", SecretString::from(KEY)), format!("{:?}", SecretString::from("x")));
}

#[test]
fn a_key_in_a_server_s_message_is_hidden() {
    for wire in [Wire::Anthropic, Wire::OpenAi] {
        let server = ModelServer::new([ModelAnswer::error(401, &format!("incorrect key {KEY} given"))]);
        let error = complete(&provider(&server.url(), wire)).unwrap_err();
        hides_it(&format!("{error} {error:?}"));
        assert!(error.to_string().contains("incorrect key [key] given"), "{error}");
    }
}

#[test]
fn a_key_at_the_point_of_truncation_is_hidden_completely() {
    for before in 370..402 {
        let server = ModelServer::new([ModelAnswer::error(400, &format!("{}{KEY}", "x".repeat(before)))]);
        hides_it(&complete(&provider(&server.url(), Wire::OpenAi)).unwrap_err().to_string());
    }
}

#[test]
fn connection_errors_never_contain_the_key() {
    let server = ModelServer::new([ModelAnswer::HangUp]);
    let error = complete(&provider(&server.url(), Wire::OpenAi)).unwrap_err();
    hides_it(&format!("{error} {error:?}"));
    let error = complete(&provider("http://127.0.0.1:1", Wire::Anthropic)).unwrap_err();
    hides_it(&format!("{error} {error:?}"));
}

#[test]
fn a_key_is_not_sent_unencrypted_to_another_machine() {
    let provider = provider("http://192.0.2.1:9", Wire::OpenAi);
    assert_eq!(complete(&provider), Err(Error::PlainKey));
}

#[test]
fn a_key_that_a_header_cannot_carry_is_refused_without_showing_it() {
    let server = ModelServer::new([ModelAnswer::chat("x")]);
    let key = SecretString::from(format!("{KEY}\r\nx-injected: 1"));
    let provider = Provider::new(Wire::OpenAi, &server.url(), "m", Some(key)).unwrap();
    let error = complete(&provider).unwrap_err();
    assert_eq!(error, Error::BadKey);
    hides_it(&format!("{error} {error:?}"));
    assert!(server.asked().is_empty());
}

#[test]
fn the_password_of_a_proxy_is_never_shown() {
    let error = Client::with_proxy(&format!("gopher://me:{KEY}@proxy")).unwrap_err();
    assert_eq!(error, Error::BadProxy);
    hides_it(&format!("{error} {error:?}"));
    hides_it(&format!("{:?}", Client::with_proxy(&format!("http://me:{KEY}@127.0.0.1:1")).unwrap()));
}

#[test]
fn spaces_around_a_pasted_key_are_removed() {
    let key = |text: &str| {
        Provider::new(Wire::OpenAi, "https://h", "m", Some(SecretString::from(text))).unwrap().key
    };
    assert_eq!(key(" k \n").unwrap().expose_secret(), "k");
    assert!(key(" \n").is_none());
}

#[test]
fn a_key_is_wiped_when_it_is_dropped() {
    fn wiped<T: secrecy::zeroize::ZeroizeOnDrop>(_: &T) {}
    wiped(&provider("https://example.org", Wire::OpenAi).key.unwrap());
}
