//! `${NAME}` in a declaration, and keeping what it stood for out of everything that is shown.

use skillful_catalog::{
    Environment,
    asked_server::placeholder,
    variables::{MASK, Value, says_secret},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// A value shorter than this is not looked for in texts: it would occur in ordinary words.
const MASKED_FROM: usize = 4;

/// The secrets that a server was given, to be hidden wherever it repeats them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Mask {
    /// The longest first, so that a secret inside another does not show the rest of it.
    secrets: Vec<String>,
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mask({})", self.secrets.len())
    }
}

impl Mask {
    pub(crate) fn add(&mut self, secret: &str) {
        let known = self.secrets.iter().any(|known| known == secret);
        if secret.len() >= MASKED_FROM && !known {
            self.secrets.push(secret.to_owned());
            self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    /// The text with stars in place of every secret.
    pub fn hide(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| {
            if text.contains(secret.as_str()) { text.replace(secret.as_str(), MASK) } else { text }
        })
    }
}

/// Puts values in place of `${NAME}` and `${NAME:-default}`: the skill's variables first, then the environment. Only names
/// that are allowed have a value.
pub(crate) struct Expander<'a> {
    allowed: &'a BTreeSet<String>,
    variables: &'a BTreeMap<String, Value>,
    environment: &'a Environment,
    /// Names without a value.
    pub(crate) unresolved: BTreeSet<String>,
    /// Names that are not allowed.
    pub(crate) refused: BTreeSet<String>,
    pub(crate) mask: Mask,
}

impl<'a> Expander<'a> {
    pub(crate) fn new(
        allowed: &'a BTreeSet<String>,
        variables: &'a BTreeMap<String, Value>,
        environment: &'a Environment,
    ) -> Self {
        let (unresolved, refused) = (BTreeSet::new(), BTreeSet::new());
        Self { allowed, variables, environment, unresolved, refused, mask: Mask::default() }
    }

    /// One text. What is put in is not read again. With `hidden` every inserted value is a secret.
    pub(crate) fn expand(&mut self, text: &str, hidden: bool) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            match placeholder(from) {
                Some((name, default, length)) => {
                    match self.value(name, hidden) {
                        Some(value) => out.push_str(&value),
                        None => match default {
                            Some(default) => out.push_str(default),
                            None if !self.allowed.contains(name) => {
                                self.refused.insert(name.to_owned());
                            }
                            None => {
                                self.unresolved.insert(name.to_owned());
                            }
                        },
                    }
                    rest = &from[length..];
                }
                None => {
                    out.push_str("${");
                    rest = &from[2..];
                }
            }
        }
        out + rest
    }

    /// One text for the user: placeholders of secrets, and of names without a value, stay as written.
    pub(crate) fn shown(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let (name, default, length) = placeholder(from).unwrap_or(("", None, 2));
            let open = self.read(name).filter(|(_, secret)| !secret).map(|(value, _)| value);
            let has_value = self.read(name).is_some();
            match open.or_else(|| default.filter(|_| !has_value).map(str::to_owned)) {
                Some(value) => out.push_str(&value),
                None => out.push_str(&from[..length]),
            }
            rest = &from[length..];
        }
        out + rest
    }

    /// The value of a name, and whether it is a secret.
    fn read(&self, name: &str) -> Option<(String, bool)> {
        if !self.allowed.contains(name) {
            return None;
        }
        match self.variables.get(name) {
            Some(value) => Some((value.reveal().to_owned(), value.is_secret())),
            None => Some((self.environment.variable(name)?, says_secret(name))),
        }
    }

    fn value(&mut self, name: &str, hidden: bool) -> Option<String> {
        let (text, secret) = self.read(name)?;
        if secret || hidden {
            self.mask.add(&text);
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        let variables = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Environment { variables, ..Environment::default() }
    }

    #[test]
    fn placeholders_are_put_in_once_and_a_missing_one_is_named() {
        let environment = environment(&[("HOST", "db${PORT}"), ("EMPTY", "")]);
        let variables = BTreeMap::new();
        let allowed = ["HOST", "EMPTY", "GONE"].map(str::to_owned).into();
        let mut expander = Expander::new(&allowed, &variables, &environment);
        for (text, expected) in [
            ("plain $HOST $$ }", "plain $HOST $$ }"),
            ("http://${HOST}/x", "http://db${PORT}/x"),
            ("${GONE:-a b}${EMPTY:-}", "a b"),
            ("${not a name} ${ ${", "${not a name} ${ ${"),
            ("${1X}", "${1X}"),
        ] {
            assert_eq!(expander.expand(text, false), expected, "{text}");
        }
        assert!(expander.unresolved.is_empty());
        assert_eq!(expander.expand("a${GONE}b${EMPTY}", false), "ab");
        assert_eq!(expander.unresolved.iter().collect::<Vec<_>>(), ["EMPTY", "GONE"]);
    }

    #[test]
    fn what_looks_like_a_secret_is_hidden_where_it_comes_back() {
        let environment =
            environment(&[("API_TOKEN", "t0ken-1"), ("LONG_TOKEN", "t0ken-123"), ("HOME", "/home/me")]);
        let variables = BTreeMap::new();
        let allowed = ["API_TOKEN", "LONG_TOKEN", "HOME"].map(str::to_owned).into();
        let mut expander = Expander::new(&allowed, &variables, &environment);
        let given = expander.expand("${API_TOKEN} ${HOME} ${LONG_TOKEN}", false);
        assert_eq!(expander.mask.hide(&given), "*** /home/me ***");
        assert!(!format!("{:?}", expander.mask).contains("t0ken"));
        assert_eq!(
            expander.shown("http://${HOME}/${API_TOKEN}?${GONE:-x}${OTHER}${"),
            "http:///home/me/${API_TOKEN}?x${OTHER}${"
        );
        expander.expand("${HOME}", true);
        assert_eq!(expander.mask.hide("at /home/me"), "at ***");
    }
}
