//! Reads environment variables that switch something on or off.

use skillful_catalog::Environment;
use skillful_profiles::AgentProfile;

/// Words that count as yes unless the profile has others.
const YES: [&str; 5] = ["1", "true", "yes", "on", "y"];

/// The first of these variables that is set to a word that counts as yes.
pub(super) fn first<'a>(
    agent: &AgentProfile,
    environment: &Environment,
    names: &'a [String],
) -> Option<&'a String> {
    names.iter().find(|name| {
        let Some(value) = environment.variable(name) else { return false };
        match agent.config.variables.iter().find(|words| words.names.contains(name)) {
            None => YES.contains(&value.as_str()),
            Some(words) => has(&words.yes, &value, words.any_case),
        }
    })
}

/// The variables whose word the agent does not know, so that it does not start.
pub(super) fn unknown<'a>(agent: &'a AgentProfile, environment: &Environment) -> Vec<(&'a str, String)> {
    let mut found = Vec::new();
    for words in agent.config.variables.iter().filter(|words| !words.no.is_empty()) {
        for name in &words.names {
            let Some(value) = environment.variables.get(name) else { continue };
            if ![&words.yes, &words.no].into_iter().any(|list| has(list, value, words.any_case)) {
                found.push((name.as_str(), format!("{} does not know the word `{value}`", agent.title)));
            }
        }
    }
    found
}

fn has(words: &[String], value: &str, any_case: bool) -> bool {
    words.iter().any(|word| word == "*" || word == value || (any_case && word.eq_ignore_ascii_case(value)))
}
