//! Searches for keys below a home, and repositories that are pushed elsewhere.

use crate::{
    flow::Labels,
    report::Severity,
    rule::Rule,
    shell::{Call, Out, Reader},
};

/// Whether a search below a home looks for keys.
pub(super) fn seeks(call: &Call) -> bool {
    let wide = call.plain().any(|word| {
        matches!(word.text.as_str(), "~" | "~/" | "$HOME" | "/" | "/home" | "/Users" | "$HOME/" | "/root")
    });
    let line = call.line().to_ascii_lowercase();
    let names = [
        ".pem",
        "id_*",
        "id_rsa",
        ".key",
        "*.env",
        ".env",
        "wallet",
        "api[_-]?key",
        "api_key",
        "secret",
        "password",
        "credential",
        "mnemonic",
    ];
    wide && names.iter().any(|name| line.contains(name))
}

/// Remotes that a skill adds, and what it pushes to them.
pub(super) fn git(reader: &mut Reader<'_>, call: &Call) -> Out {
    let words: Vec<&str> = call.plain().map(|word| word.text.as_str()).collect();
    let foreign = |reader: &Reader<'_>, text: &str| {
        let host = crate::hosts::addresses(text).first().map(|address| (address.host.clone(), address.kind));
        host.is_some_and(|(host, place)| {
            place.is_suspicious() || crate::flow::is_foreign(&host, &reader.flow.purpose)
        })
    };
    match words.as_slice() {
        ["remote", "add" | "set-url", name, address, ..] if foreign(reader, address) => {
            reader.flow.files.entry(format!("remote:{name}")).or_default().add(Labels::FOREIGN);
            reader.flow.hit(Rule::DataSent, Severity::Warn, call.range.clone());
        }
        // Everything that is fetched or pushed goes to another host from now on.
        ["config", ..]
            if call.line().contains("insteadOf")
                && foreign(reader, &call.line())
                // The same host with a key in front is how builds log in.
                && crate::hosts::addresses(&call.line()).windows(2).any(|pair| pair[0].host != pair[1].host) =>
        {
            reader.flow.hit(Rule::AgentConfig, Severity::Block, call.range.clone());
        }
        // Without a name it goes to `origin`.
        ["push", rest @ ..] => {
            let target = rest.first().copied().unwrap_or("origin");
            let known = reader.flow.files.get(&format!("remote:{target}")).copied().unwrap_or_default();
            if known.has(Labels::FOREIGN) || foreign(reader, target) {
                reader.flow.hit(Rule::DataSent, Severity::Block, call.range.clone());
            }
        }
        _ => {}
    }
    Out::default()
}
