//! The retired words with the better ones, and where a retired word has its ordinary meaning.

use std::{collections::HashMap, sync::LazyLock};

/// Phrases that the glossary retires.
pub(super) struct Retired {
    pub(super) phrases: &'static [&'static str],
    /// The phrase is fine after one of these words …
    after: &'static [&'static str],
    /// … and before one of these.
    before: &'static [&'static str],
    pub(super) better: &'static str,
}

const fn retired(phrases: &'static [&'static str], better: &'static str) -> Retired {
    Retired { phrases, after: &[], before: &[], better }
}

pub(super) const RETIRED: &[Retired] = &[
    retired(
        &["catalogue", "catalogues"],
        "catalog (all skills found), menu (what a model reads) or source (where skills come from)",
    ),
    retired(&["header", "headers"], "frontmatter"),
    retired(&["host file", "host files", "host profile", "host profiles"], "agent profile"),
    retired(&["--host", "--as"], "--agent"),
    retired(
        &[
            "whoever",
            "somebody",
            "someone",
            "nobody",
            "anybody",
            "stranger",
            "strangers",
            "person",
            "persons",
            "people",
        ],
        "name the actor: user, administrator, author, caller, server, process",
    ),
    retired(
        &["held back", "hold back", "holds back", "holding back", "hold it back", "holds it back"],
        "pending (downloaded, not installed, waiting for review)",
    ),
    retired(&["powers", "a power", "wish", "wishes"], "capability"),
    retired(&["tell", "tells", "told"], "report, return, print, name, distinguish"),
    retired(&["says whether", "says so", "say so"], "report, return, print, name"),
    retired(&["closed to"], "not available to, may not use"),
    retired(&["noted in"], "written to the lock, recorded in"),
    retired(&["is to know"], "name the findings: blocking findings, warnings, notes"),
    retired(
        &["was left out", "were left out", "is left out", "are left out", "if left out"],
        "unavailable (a skill), skipped (an entry), omitted (text), default (an option)",
    ),
    retired(&["switched off", "switched on", "switches off", "switch off"], "disabled, enabled"),
    retired(&["eager", "eagerly", "chosen skill", "chosen skills", "was chosen", "were chosen"], "selected"),
    retired(&["conversation", "conversations"], "session"),
    retired(&["the store", "skill store", "secrets store"], "content store, database, search index or vault"),
    retired(&["desk", "scene", "world"], "workspace or library"),
    retired(&["slip of the fingers", "slip of the finger"], "typo"),
    retired(&["mend", "mends", "mended", "mending"], "repair"),
    retired(&["stands in for", "stand in for"], "fallback"),
    retired(&["once more"], "retry"),
    Retired {
        phrases: &["is no", "are no"],
        after: &["there"],
        before: &["longer", ".", ",", ";", ":", ")"],
        better: "is not a, has no",
    },
];

/// A place where a retired word has its ordinary meaning.
pub(super) struct Allowed {
    /// The file, folder or command; everything below it counts.
    pub(super) place: &'static str,
    /// The first phrase of the retired group.
    pub(super) phrase: &'static str,
    /// Words that must be near it.
    pub(super) context: &'static str,
    pub(super) reason: &'static str,
}

const fn allowed(
    place: &'static str,
    phrase: &'static str,
    context: &'static str,
    reason: &'static str,
) -> Allowed {
    Allowed { place, phrase, context, reason }
}

pub(super) const ALLOWED: &[Allowed] = &[
    allowed("crates/archive", "header", "", "zip, tar and gzip have headers"),
    allowed("crates/assistant/src/tools/web_fetch.rs", "header", "", "HTTP"),
    allowed("crates/audit", "header", "", "HTTP"),
    allowed("docs/audit.md", "header", "mcp servers", "HTTP"),
    allowed("crates/credentials/src/vault", "header", "", "the first bytes of the encrypted file"),
    allowed("crates/database/src/open.rs", "header", "", "the first bytes of an SQLite file"),
    allowed("crates/llm", "header", "", "HTTP"),
    allowed("crates/lsp/src/framing.rs", "header", "", "a message of the protocol has a header"),
    allowed("crates/mcp/src/client", "header", "", "HTTP"),
    allowed("crates/server", "header", "", "HTTP"),
    allowed("schemas/server", "header", "last-event-id", "HTTP"),
    allowed("crates/mcp/src/server/http.rs", "header", "", "HTTP"),
    allowed("crates/net", "header", "", "HTTP"),
    allowed(
        "crates/registry/src/install",
        "header",
        "two header lines",
        "the first lines of a unified difference",
    ),
    allowed("crates/route/src/ranking", "header", "", "the first bytes of the search index"),
    allowed("crates/testkit/src/model_server", "header", "", "HTTP"),
    allowed(
        "crates/catalog/skills/skill-installer/references/review.md",
        "header",
        "hosts , headers , bodies",
        "HTTP",
    ),
    allowed("crates/select/src/selection.rs", "eager", "menu", "the log line of Istota"),
    allowed(
        "crates/audit/src",
        "tell",
        "tell",
        "words of hostile instructions, and what these do to a model",
    ),
    allowed("crates/assistant/src/save_skill.rs", "tell", "tell them so", "an instruction to a model"),
    allowed(
        "crates/assistant/src/tools/run_command.rs",
        "tell",
        "tell the user",
        "an instruction to a model",
    ),
    allowed("docs/audit.md", "tell", "the agent", "what hostile instructions do to a model"),
    allowed("docs/audit.md", "tell", "tell an agent", "what hostile instructions do to a model"),
    allowed(
        "crates/audit/src/rule.rs",
        "conversation",
        "credentials , conversations",
        "what hostile instructions send away",
    ),
    allowed(
        "docs/audit.md",
        "conversation",
        "credentials , conversations",
        "what hostile instructions send away",
    ),
    allowed("crates/assistant/prompts", "tell", "tell", "instructions to a model"),
    allowed("crates/assistant/prompts", "says whether", "so", "instructions to a model"),
    allowed("tests/peers", "desk", "world", "the tree of files and the home that a question is asked in"),
    allowed("tests/sdk", "header", "version", "HTTP"),
    allowed("crates/catalog/skills", "tell", "tell", "instructions to a model"),
    allowed("crates/catalog/skills", "says whether", "say so", "instructions to a model"),
    allowed("crates/catalog/skills", "whoever", "third person", "the grammatical person"),
    allowed("crates/catalog/skills", "whoever", "first person", "the grammatical person"),
    allowed("crates/database/src/skills.rs", "whoever", "person", "the name of a column"),
    allowed("crates/route/src/ranking/analyse.rs", "powers", "powers of two", "arithmetic"),
];

/// Sources whose literals are data: lists of words that are looked for in a text.
pub(super) const WORD_LISTS: &[(&str, &str)] = &[
    ("crates/audit/src/prose/lexicon.rs", "words of hostile instructions"),
    ("crates/audit/src/prose/frames.rs", "words of hostile instructions"),
    ("crates/audit/src/prose/intents/concepts.rs", "words of hostile instructions"),
    ("crates/audit/src/prose/intents/grammar.rs", "words of hostile instructions"),
    ("crates/audit/src/prose/intents/languages.rs", "words of hostile instructions"),
    ("crates/audit/src/prose/signs/words.rs", "words of hostile instructions"),
    ("crates/audit/src/page/hidden.rs", "words of hostile instructions"),
    ("crates/audit/src/page/orders.rs", "words of hostile instructions"),
    ("crates/audit/src/prose/harms/damage.rs", "words of hostile instructions"),
    ("crates/audit/src/prose/harms/conduct.rs", "words of hostile instructions"),
    ("crates/audit/src/prose/harms/deceit.rs", "words of hostile instructions"),
    ("crates/audit/src/prose/harms/disclosure.rs", "words of hostile instructions"),
    ("crates/route/src/ranking/common.rs", "how common words are"),
    ("crates/route/src/ranking/form/object.rs", "words of requests"),
    ("crates/route/src/ranking/form.rs", "words of questions and requests"),
    ("crates/route/src/ranking/stop.rs", "words without meaning for a search"),
];

/// A retired phrase in a text.
#[derive(Debug)]
pub(super) struct Hit {
    /// The first phrase of its group.
    pub(super) group: &'static str,
    pub(super) phrase: &'static str,
    pub(super) better: &'static str,
    /// Lines before it.
    pub(super) line: usize,
    /// The words around it.
    pub(super) around: String,
}

/// The retired phrases of a text, in its order. Words between backquotes are names.
pub(super) fn find(text: &str) -> Vec<Hit> {
    static PHRASES: LazyLock<HashMap<&str, Vec<(&'static str, &Retired)>>> = LazyLock::new(|| {
        let mut phrases: HashMap<&str, Vec<_>> = HashMap::new();
        for (retired, &phrase) in
            RETIRED.iter().flat_map(|retired| retired.phrases.iter().map(move |phrase| (retired, phrase)))
        {
            phrases.entry(phrase.split(' ').next().unwrap()).or_default().push((phrase, retired));
        }
        phrases
    });
    let words = words(text);
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |(_, word)| word.as_str());
    let mut hits = Vec::new();
    for (at, (line, first)) in words.iter().enumerate() {
        for &(phrase, retired) in PHRASES.get(first.as_str()).into_iter().flatten() {
            let end = at + phrase.split(' ').count();
            if words
                .get(at..end)
                .is_some_and(|part| part.iter().map(|(_, word)| word.as_str()).eq(phrase.split(' ')))
                && !retired.after.contains(&word(at.checked_sub(1)))
                && !retired.before.contains(&word(Some(end)))
            {
                let around = &words[at.saturating_sub(7)..(end + 7).min(words.len())];
                let around = around.iter().map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(" ");
                hits.push(Hit {
                    group: retired.phrases[0],
                    phrase,
                    better: retired.better,
                    line: *line,
                    around,
                });
            }
        }
    }
    hits
}

/// Lower-case words with the number of lines before them. Punctuation ends a phrase, and a name in backquotes is one word.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    for (line, text) in text.split('\n').enumerate() {
        let text = text.trim_start().trim_start_matches("//");
        for (index, part) in text.split('`').enumerate() {
            if index % 2 == 1 && text.matches('`').count() > 1 {
                words.push((line, "`…`".to_owned()));
                continue;
            }
            let mut word = String::new();
            for letter in part.chars().chain([' ']) {
                if letter.is_alphanumeric() || matches!(letter, '-' | '_' | '\'' | '/') {
                    word.extend(letter.to_lowercase());
                    continue;
                }
                if !word.is_empty() {
                    words.push((line, std::mem::take(&mut word)));
                }
                if matches!(letter, '.' | ',' | ';' | ':' | '(' | ')' | '?' | '!') {
                    words.push((line, letter.to_string()));
                }
            }
        }
    }
    words
}

#[test]
fn a_phrase_is_found_across_lines_and_not_in_names() {
    let found =
        |text: &str| -> Vec<(&str, usize)> { find(text).iter().map(|hit| (hit.phrase, hit.line)).collect() };
    assert_eq!(found("It is\nno skill."), [("is no", 0)]);
    assert_eq!(found("There is no skill, it is no longer there, and the answer is no."), []);
    assert_eq!(found("a\nthe Person"), [("person", 1)]);
    assert_eq!(found("the `header` of a personal file"), []);
    assert_eq!(found("it was held, back"), []);
    assert_eq!(found("pass --host NAME"), [("--host", 0)]);
}
