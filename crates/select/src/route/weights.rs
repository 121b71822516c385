//! Every fitted number, in one place.
//!
//! Fitted by `tools/routing/rank.py` and `tools/routing/gate.py` on 1,178 judged requests over sub-libraries of 100, 1,000 and 10,000
//! public skills: softmax over the candidates of a request, each source weighing the same, ridge 60.
//! Checked with the skills in five folds and with each source left out; docs/routing.md has the figures.

use super::features::FEATURES;

/// Weight of each feature of the re-ranker, on raw values.
pub(crate) const RANK: [(&str, f32); FEATURES] = [
    ("score, of the best", 1.5811),
    ("exact words, of the best", 0.4412),
    ("description, of the best", 0.8586),
    ("body, of the best", 1.2794),
    ("best sentence, of the best", 0.1917),
    ("pairs in the body, of the best", 1.0479),
    ("score", 0.2390),
    ("share of the description said", 4.6561),
    ("best sentence", 1.2609),
    ("first sentence", 0.3274),
    ("share of the name said", 1.0750),
    ("three rarest terms", 0.9771),
    ("when-to-use text", 2.2517),
    ("largest single term", -0.9440),
    ("pairs in the body", 1.3627),
    ("length of the body", -0.1351),
    ("terms in the head", 0.6114),
    ("length of the name", -0.1300),
    ("headings", -1.6806),
    ("body", 0.2256),
    ("rare terms found", 0.5532),
    ("score without rarity", 1.1363),
    ("terms found without rarity", 0.3794),
    ("start of the description", 1.0159),
    ("pairs in the name", 1.1715),
    ("terms in the body", 0.4081),
];

/// Signals of the gate.
pub(crate) const GATE_SIGNALS: usize = 17;

/// Weight of each signal of the gate, on raw values: logistic regression over the same libraries and one of
/// 20 skills, answerable requests against chit-chat, statements, near misses and requests for skills that
/// are not there.
pub(crate) const GATE: [(&str, f32); GATE_SIGNALS] = [
    ("score of the best", -0.1554),
    ("terms in its name or description", 1.7549),
    ("number of terms", 3.7632),
    ("whole score of the best", 0.4538),
    ("pairs found", 0.5536),
    ("lead over the second", 0.1974),
    ("lead over the tenth", 0.1240),
    ("share of its name said", 1.1055),
    ("is a question", -1.7440),
    ("is a statement", -3.5870),
    ("is small talk", -3.1723),
    ("asks for something", -0.3933),
    ("gives an order", -0.8553),
    ("calls off", -4.4877),
    ("tells a tale", -3.7529),
    ("asks for a fact", -3.3325),
    ("size of the library", 0.0726),
];
/// Where the gate starts.
pub(crate) const GATE_BIAS: f32 = -9.0226;
