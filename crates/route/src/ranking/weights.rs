//! All fitted numbers.
//!
//! Fitted by `tools/routing/rank.py` and `tools/routing/gate.py` on 1,178 judged requests over samples of
//! 100, 1,000 and 10,000 public skills: softmax over the candidates of a request, equal weight for each
//! source, ridge 60. Validated with the skills in five folds and with each source left out; docs/routing.md
//! has the figures.

use super::features::FEATURES;

/// Weight of each feature of the re-ranker, on raw values.
pub(crate) const RANK: [(&str, f32); FEATURES] = [
    ("score, of the best", 1.6229),
    ("exact words, of the best", 0.4129),
    ("description, of the best", 0.8599),
    ("body, of the best", 1.2087),
    ("best sentence, of the best", 0.1323),
    ("pairs in the body, of the best", 0.9808),
    ("score", 0.3645),
    ("share of the description in the request", 4.2635),
    ("best sentence", 1.2436),
    ("first sentence", 0.3238),
    ("share of the name in the request", 0.9522),
    ("three rarest terms", 1.1272),
    ("when-to-use text", 2.4064),
    ("largest single term", -1.2061),
    ("pairs in the body", 1.4976),
    ("length of the body", -0.1479),
    ("terms in the head", 0.7574),
    ("length of the name", -0.1355),
    ("headings", -1.7522),
    ("body", 0.3430),
    ("rare terms found", 0.6251),
    ("score without rarity", 1.1666),
    ("terms found without rarity", 0.1395),
    ("start of the description", 1.3057),
    ("pairs in the name", 2.1223),
    ("terms in the body", 0.3205),
];

/// Number of signals of the gate.
pub(crate) const GATE_SIGNALS: usize = 17;

/// Weight of each signal of the gate, on raw values: logistic regression over the same samples and one of 20
/// skills, with answerable requests against small talk, statements, near misses and requests for skills that
/// do not exist.
pub(crate) const GATE: [(&str, f32); GATE_SIGNALS] = [
    ("score of the best", -0.1535),
    ("terms in its name or description", 1.7308),
    ("number of terms", 3.7695),
    ("whole score of the best", 0.4813),
    ("pairs found", 0.5665),
    ("lead over the second", 0.1758),
    ("lead over the tenth", 0.1313),
    ("share of its name in the request", 1.0576),
    ("is a question", -1.6961),
    ("is a statement", -3.5557),
    ("is small talk", -3.1698),
    ("asks for something", -0.4099),
    ("gives an order", -0.8168),
    ("ends or cancels a request", -4.4671),
    ("tells a story", -3.7341),
    ("asks for a fact", -3.3609),
    ("number of skills", 0.0660),
];
/// Constant term of the gate.
pub(crate) const GATE_BIAS: f32 = -9.0714;
/// Weight of the largest similarity of another stage, fitted with the cosines of `MiniLM`.
pub(crate) const GATE_SIMILAR: f32 = 6.0;
/// The neutral similarity: small talk stays below it, requests lie above.
pub(crate) const GATE_SIMILAR_FROM: f32 = 0.3;
