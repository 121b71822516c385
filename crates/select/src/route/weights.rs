//! Every fitted number, in one place.
//!
//! Fitted by `tools/routing/rank.py` and `tools/routing/gate.py` on 1,178 judged requests over sub-libraries of 100, 1,000 and 10,000
//! public skills: softmax over the candidates of a request, each source weighing the same, ridge 60.
//! Checked with the skills in five folds and with each source left out; docs/routing.md has the figures.

use super::features::FEATURES;

/// Weight of each feature of the re-ranker, on raw values.
pub(crate) const RANK: [(&str, f32); FEATURES] = [
    ("score, of the best", 1.5727),
    ("exact words, of the best", 0.4391),
    ("description, of the best", 0.8418),
    ("body, of the best", 1.308),
    ("best sentence, of the best", 0.1956),
    ("pairs in the body, of the best", 1.042),
    ("score", 0.2146),
    ("share of the description said", 4.4191),
    ("best sentence", 1.2586),
    ("first sentence", 0.3138),
    ("share of the name said", 1.1261),
    ("three rarest terms", 0.9558),
    ("when-to-use text", 2.5616),
    ("largest single term", -0.9779),
    ("pairs in the body", 1.3583),
    ("length of the body", -0.1485),
    ("terms in the head", 0.7665),
    ("length of the name", -0.1271),
    ("headings", -1.8567),
    ("body", 0.2369),
    ("rare terms found", 0.5431),
    ("score without rarity", 1.1344),
    ("terms found without rarity", 0.3865),
    ("start of the description", 0.9235),
    ("pairs in the name", 1.3389),
    ("terms in the body", 0.4051),
];

/// Signals of the gate.
pub(crate) const GATE_SIGNALS: usize = 12;

/// Weight of each signal of the gate, on raw values: logistic regression over the same libraries and one of
/// 20 skills, answerable requests against chit-chat, statements, near misses and requests for skills that
/// are not there.
pub(crate) const GATE: [(&str, f32); GATE_SIGNALS] = [
    ("score of the best", 0.3821),
    ("terms in its name or description", 1.8949),
    ("number of terms", 4.0396),
    ("whole score of the best", 0.3677),
    ("pairs found", 0.0559),
    ("lead over the second", 0.1802),
    ("lead over the tenth", 0.1732),
    ("share of its name said", 1.2540),
    ("is a question", -1.6199),
    ("is a statement", -3.3807),
    ("is small talk", -2.5313),
    ("size of the library", 0.0140),
];
/// Where the gate starts.
pub(crate) const GATE_BIAS: f32 = -10.4616;
