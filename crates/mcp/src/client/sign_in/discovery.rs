//! Where to sign in: what the server says of itself, and what its authorization server says.

use super::{Challenge, SignInError, answer};
use reqwest::{Client, Url};
use serde_json::Value;
use skillful_net::{PrivateAddress, Reach};
use std::net::IpAddr;

/// The scope that asks for a sign-in that can be renewed.
const OFFLINE: &str = "offline_access";

/// What an authorization server says of itself.
pub(super) struct AuthorizationServer {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) registration_endpoint: Option<String>,
}

/// Everything that a sign-in needs to know.
pub(super) struct Discovered {
    pub(super) server: AuthorizationServer,
    /// What the token is for.
    pub(super) resource: String,
    pub(super) scope: Option<String>,
    /// Whether the user must be asked, so that the sign-in can be renewed.
    pub(super) asks_consent: bool,
}

/// Finds the authorization server of a server.
pub(super) async fn find(
    client: &Client,
    url: &Url,
    reach: Reach,
    challenge: &Challenge,
) -> Result<Discovered, SignInError> {
    let secure = |address: &str| secure(address, url, reach);
    let mut plain = url.clone();
    plain.set_fragment(None);
    plain.set_query(None);
    // Another host could name its own authorization server and be given the token of this one.
    let named = challenge.resource_metadata.as_deref().map(secure).transpose()?;
    if let Some(address) = named.as_ref().filter(|address| address.origin() != url.origin()) {
        let why = format!("`{plain}` is described at another host, `{address}`");
        return Err(SignInError::Discovery(why));
    }
    let described = described(client, &plain, named).await?;
    let list = |value: &Value, key: &str| -> Vec<String> {
        let all = value.get(key).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    // A server of an older version is its own authorization server.
    let (issuer, resource, mut scopes) = match &described {
        Some(document) => {
            let resource = document.get("resource").and_then(Value::as_str).unwrap_or_default();
            if !covers(resource, &plain) {
                let why = format!("`{plain}` describes another server: `{resource}`");
                return Err(SignInError::Discovery(why));
            }
            let issuer = list(document, "authorization_servers").into_iter().next();
            let issuer = issuer.ok_or_else(|| missing("authorization_servers", &plain))?;
            (issuer, resource.to_owned(), list(document, "scopes_supported"))
        }
        None => (plain.origin().ascii_serialization(), plain.to_string(), Vec::new()),
    };
    if let Some(scope) = &challenge.scope {
        scopes = scope.split_whitespace().map(str::to_owned).collect();
    }
    let issuer = secure(&issuer)?;
    let document = metadata(client, &issuer).await?;
    let text = |key: &str| document.get(key).and_then(Value::as_str).map(str::to_owned);
    let named = text("issuer").unwrap_or_default();
    if named.trim_end_matches('/') != issuer.as_str().trim_end_matches('/') {
        return Err(SignInError::Discovery(format!("`{issuer}` describes another issuer: `{named}`")));
    }
    if !list(&document, "code_challenge_methods_supported").iter().any(|method| method == "S256") {
        let why = format!("`{issuer}` does not support PKCE with S256, without which a code could be stolen");
        return Err(SignInError::Discovery(why));
    }
    let address = |key: &str| -> Result<Option<String>, SignInError> {
        text(key).map(|address| secure(&address).map(|url| url.to_string())).transpose()
    };
    let asks_consent = list(&document, "scopes_supported").iter().any(|scope| scope == OFFLINE);
    if asks_consent && !scopes.iter().any(|scope| scope == OFFLINE) {
        scopes.push(OFFLINE.to_owned());
    }
    let server = AuthorizationServer {
        issuer: named,
        authorization_endpoint: address("authorization_endpoint")?
            .ok_or_else(|| missing("authorization_endpoint", &issuer))?,
        token_endpoint: address("token_endpoint")?.ok_or_else(|| missing("token_endpoint", &issuer))?,
        registration_endpoint: address("registration_endpoint")?,
    };
    let scope = (!scopes.is_empty()).then(|| scopes.join(" "));
    Ok(Discovered { server, resource, scope, asks_consent })
}

fn missing(key: &str, of: &Url) -> SignInError {
    SignInError::Discovery(format!("`{of}` does not name its `{key}`"))
}

/// What a server says of itself; `None` when it says nothing.
async fn described(client: &Client, url: &Url, named: Option<Url>) -> Result<Option<Value>, SignInError> {
    if let Some(address) = named {
        return answer(client.get(address.clone()), address.as_str()).await.map(Some);
    }
    for address in well_known(url, "oauth-protected-resource") {
        if let Some(document) = maybe(client, &address).await? {
            return Ok(Some(document));
        }
    }
    Ok(None)
}

/// What an authorization server says of itself, by either of its names.
async fn metadata(client: &Client, issuer: &Url) -> Result<Value, SignInError> {
    let mut places = well_known(issuer, "oauth-authorization-server");
    places.extend(well_known(issuer, "openid-configuration"));
    let path = issuer.path().trim_end_matches('/');
    if !path.is_empty() {
        let mut appended = issuer.clone();
        appended.set_path(&format!("{path}/.well-known/openid-configuration"));
        places.push(appended);
    }
    for address in places {
        if let Some(document) = maybe(client, &address).await? {
            return Ok(document);
        }
    }
    Err(SignInError::Discovery(format!("`{issuer}` does not say how to sign in")))
}

/// The addresses of a well-known document, the one with the path first.
fn well_known(url: &Url, name: &str) -> Vec<Url> {
    let path = url.path().trim_end_matches('/');
    let at = |path: &str| {
        let mut place = url.clone();
        place.set_path(&format!("/.well-known/{name}{path}"));
        place
    };
    if path.is_empty() { vec![at("")] } else { vec![at(path), at("")] }
}

/// A document that need not be there.
async fn maybe(client: &Client, address: &Url) -> Result<Option<Value>, SignInError> {
    match answer(client.get(address.clone()), address.as_str()).await {
        Ok(document) => Ok(Some(document)),
        Err(SignInError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An address that codes and tokens may be sent to: encrypted, or on this machine. The resolver, which refuses names that
/// lead to a private address, does not see a literal one; and only a server of this machine may lead to this machine.
fn secure(address: &str, server: &Url, reach: Reach) -> Result<Url, SignInError> {
    let wrong = |why: &str| SignInError::Discovery(format!("`{address}` {why}"));
    let url = Url::parse(address).map_err(|_| wrong("is not an address"))?;
    let host = url.host_str().unwrap_or_default().to_owned();
    let is_here = super::http::is_loopback(&url);
    if is_here && !super::http::is_loopback(server) {
        return Err(wrong("is on this machine, and the server that names it is not"));
    }
    let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    if let Ok(literal) = literal
        && !reach.allows(&host, literal)
    {
        return Err(wrong(&format!("cannot be used: {}", PrivateAddress(literal))));
    }
    if url.scheme() == "https" || url.scheme() == "http" && is_here {
        return Ok(url);
    }
    Err(wrong("is not encrypted, and no code or token is sent there"))
}

/// Whether what a server calls itself covers its address.
fn covers(resource: &str, url: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let own = resource.path().trim_end_matches('/');
    let rest = url.path().strip_prefix(own);
    resource.origin() == url.origin() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_described_by_itself_and_at_its_own_places() {
        let url = Url::parse("https://a.example/x/mcp").unwrap();
        for (resource, is_own) in [
            ("https://a.example/x/mcp", true),
            ("https://a.example/x", true),
            ("https://a.example/", true),
            ("https://a.example/x/mc", false),
            ("https://b.example/x/mcp", false),
            ("http://a.example/x/mcp", false),
            ("", false),
        ] {
            assert_eq!(covers(resource, &url), is_own, "{resource}");
        }
        let places: Vec<String> =
            well_known(&url, "oauth-protected-resource").iter().map(Url::to_string).collect();
        assert_eq!(
            places,
            [
                "https://a.example/.well-known/oauth-protected-resource/x/mcp",
                "https://a.example/.well-known/oauth-protected-resource",
            ]
        );
    }

    #[test]
    fn codes_and_tokens_go_to_encrypted_addresses_or_to_this_machine() {
        let here = Url::parse("http://localhost:4000/mcp").unwrap();
        for address in ["https://a.example/token", "http://127.0.0.1:1/token", "http://localhost/token"] {
            assert!(secure(address, &here, Reach::Loopback).is_ok(), "{address}");
        }
        for address in ["http://a.example/token", "ftp://127.0.0.1/token", "token"] {
            assert!(secure(address, &here, Reach::Loopback).is_err(), "{address}");
        }
    }

    #[test]
    fn a_server_on_the_network_leads_a_sign_in_neither_to_this_machine_nor_to_a_private_network() {
        let away = Url::parse("https://mcp.a.example/mcp").unwrap();
        assert!(secure("https://login.a.example/token", &away, Reach::Public).is_ok());
        for address in [
            "http://127.0.0.1:8080/x",
            "https://127.0.0.1/x",
            "https://[::1]/x",
            "http://localhost/x",
            "https://2130706433/x",
        ] {
            for reach in [Reach::Public, Reach::Loopback, Reach::Anywhere] {
                assert!(secure(address, &away, reach).is_err(), "{address} {reach:?}");
            }
        }
        for address in
            ["https://10.0.0.5/x", "https://169.254.169.254/x", "https://[fd00::1]/x", "https://0xa000005/x"]
        {
            for reach in [Reach::Public, Reach::Loopback] {
                assert!(secure(address, &away, reach).is_err(), "{address} {reach:?}");
            }
            assert!(secure(address, &away, Reach::Anywhere).is_ok(), "{address}");
        }
    }
}
