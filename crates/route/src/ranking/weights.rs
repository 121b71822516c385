//! All fitted numbers.
//!
//! Fitted by `tools/routing/rank.py` and `tools/routing/gate.py` on judged requests and on phrases that authors
//! quote, over samples of 3 to 10,000 public skills: softmax over the candidates of a request, logistic
//! regression for the gate, equal weight for each source. The sign of every weight is fixed, and a feature whose
//! weight was not stable when repositories were kept out was dropped; docs/routing.md has the figures.

use super::features::FEATURES;

/// Weight of each feature of the re-ranker, on raw values.
pub(crate) const RANK: [(&str, f32); FEATURES] = [
    ("score, of the best", 1.8601),
    ("exact words, of the best", 1.2455),
    ("description, of the best", 0.9468),
    ("body, of the best", 1.3024),
    ("pairs in the body, of the best", 1.3531),
    ("share of the description in the request", 4.1290),
    ("share of the name in the request", 1.0423),
    ("three rarest terms", 1.0409),
    ("terms in the head", 1.0809),
    ("score without rarity", 0.7827),
    ("start of the description", 0.7356),
    ("pairs in the name", 0.8835),
];

/// Number of signals of the gate.
pub(crate) const GATE_SIGNALS: usize = 22;

/// Weight of each signal of the gate, on raw values.
pub(crate) const GATE: [(&str, f32); GATE_SIGNALS] = [
    ("score of the best", 1.9006),
    ("number of terms", 5.1666),
    ("whole score of the best", 0.3476),
    ("pairs found", 0.0499),
    ("lead over the second", 0.1512),
    ("terms in its name or description, of a request", 0.2596),
    ("terms in its name", 0.7340),
    ("re-ranker's score of the best", 0.2981),
    ("objects of orders in its head", 1.3747),
    ("share of its name in a request", 1.7462),
    ("asks for something", 1.4141),
    ("says that something does not work", 1.1184),
    ("asks a question", -1.3441),
    ("makes a statement", -3.4546),
    ("is in the past tense", -1.6681),
    ("speaks about the assistant", -3.2958),
    ("names a time relative to now", -3.1054),
    ("thanks or greets", -3.7442),
    ("quotes a text", -2.8682),
    ("is unfinished", -3.2688),
    ("declines or withdraws", -3.2702),
    ("asks for an explanation", -1.9923),
];
/// Constant term of the gate.
pub(crate) const GATE_BIAS: f32 = -14.1483;
/// Weight of the largest similarity of another stage, fitted with the cosines of `MiniLM`.
pub(crate) const GATE_SIMILAR: f32 = 6.0;
/// The neutral similarity: small talk and most messages that ask for nothing stay below it, nine of ten requests lie above
/// or near it. With 0.3 more of those messages pass (docs/routing.md).
pub(crate) const GATE_SIMILAR_FROM: f32 = 0.4;
