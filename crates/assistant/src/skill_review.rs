//! Asks a model to review a skill, for `audit --model`. The question and the rules for the answer are in
//! `skillful_audit::model_review`; this module calls the model within limits.

use crate::model_set::{ModelSet, ModelSpec};
use skillful_audit::{
    ModelReview,
    model_review::{ANSWER_TOKENS, PROMPT, QUESTION_BYTES, question},
};
use skillful_format::Tree;
use skillful_llm::{Limits, Request, Stop};
use std::time::Duration;

/// Time limit of one review, with every attempt.
const TIMEOUT: Duration = Duration::from_mins(3);
/// Percentage of the model's context window that the files of a skill may fill.
const FILLED: usize = 60;
/// Bytes per token that are certain to fit: code and other scripts need more tokens than prose.
const TOKEN: usize = 2;

/// Lets the default model read a skill. When the call fails or the answer does not count, the review holds the
/// reason, so that it is never taken for an empty one.
pub fn review(models: &ModelSet, tree: &Tree) -> ModelReview {
    let ModelSpec { provider, window, answer, effort, .. } = &models.usual;
    let room = (window * FILLED / 100).saturating_mul(TOKEN).min(QUESTION_BYTES);
    let asked = question(tree, room);
    let request = Request {
        effort: *effort,
        ..Request::new(PROMPT, asked.text.clone(), ANSWER_TOKENS.min((*answer).max(1)))
    };
    let reply = match models.client.complete(provider, &request, Limits { timeout: TIMEOUT }) {
        Ok(reply) => reply,
        Err(error) => {
            return asked.unanswered(&provider.model, vec![format!("the model did not answer: {error}")]);
        }
    };
    let why = match &reply.stop {
        Stop::Length => "the answer reached its maximum length and is cut",
        Stop::Refusal => "the model refused to answer",
        _ => return asked.review(tree, &provider.model, &reply.text()),
    };
    asked.unanswered(&provider.model, vec![why.to_owned()])
}
