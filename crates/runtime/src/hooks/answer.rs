//! The answer of a hook: its exit code, and JSON on its standard output.

use serde_json::Value;
use skillful_sandbox::{Outcome, Status};

/// The code by which a hook blocks.
const BLOCKS: i32 = 2;
/// Characters of a reason that are kept.
const REASON: usize = 2_000;
/// Characters of context that one hook may add.
const CONTEXT: usize = 10_000;

/// The answer of one hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookAnswer {
    /// Why it must not happen.
    pub blocked: Option<String>,
    /// Why the whole run should stop.
    pub stopped: Option<String>,
    /// The input to go on with. The caller of the tool judges it again.
    pub input: Option<Value>,
    /// Words for the model.
    pub context: Option<String>,
    /// What went wrong with the hook itself.
    pub failed: Option<String>,
    /// What it asked for and does not get.
    pub ignored: Option<String>,
}

impl HookAnswer {
    /// Reads the outcome of a hook.
    pub fn of(outcome: &Outcome, guard: bool) -> Self {
        let said = cut(outcome.stderr.text().trim(), REASON);
        let reason = |fallback: &str| if said.is_empty() { fallback.to_owned() } else { said.clone() };
        match outcome.status {
            Status::Exited(0) if outcome.stdout.truncated => {
                let answer = Self {
                    failed: Some("its output is longer than can be read".to_owned()),
                    ..Self::default()
                };
                answer.closed(guard)
            }
            Status::Exited(0) => Self::read(outcome.stdout.text().trim(), guard),
            Status::Exited(BLOCKS) => {
                Self { blocked: Some(reason("a hook of the skill refused it")), ..Self::default() }
            }
            // The shell's own codes for a program that is not there or cannot be started.
            Status::Exited(code @ (126 | 127)) => {
                let failed = Some(reason(&format!("it could not be started (code {code})")));
                Self { failed, ..Self::default() }.closed(guard)
            }
            // A program that fails with another code does not judge the call.
            Status::Exited(code) => {
                Self { failed: Some(reason(&format!("it failed with code {code}"))), ..Self::default() }
            }
            status => {
                Self { failed: Some(format!("it was ended: {status:?}")), ..Self::default() }.closed(guard)
            }
        }
    }

    /// A guard that did not finish blocks.
    pub(super) fn closed(mut self, guard: bool) -> Self {
        if guard {
            let why = self.failed.clone().unwrap_or_default();
            self.blocked = Some(format!("a hook of the skill could not judge it: {why}"));
        }
        self
    }

    fn read(text: &str, guard: bool) -> Self {
        if !text.starts_with('{') {
            let context = (!text.is_empty()).then(|| cut(text, CONTEXT));
            return Self { context, ..Self::default() };
        }
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            let failed = Some("its answer is not JSON".to_owned());
            return Self { failed, ..Self::default() }.closed(guard);
        };
        let own = &value["hookSpecificOutput"];
        let word = |value: &Value| value.as_str().map(str::to_owned);
        let reason = [&own["permissionDecisionReason"], &value["reason"]].into_iter().find_map(word);
        let reason = cut(&reason.unwrap_or_else(|| "a hook of the skill refused it".to_owned()), REASON);
        let decision = word(&own["permissionDecision"]).or_else(|| word(&value["decision"]));
        let mut answer = Self::default();
        match decision.as_deref() {
            Some("deny" | "block") => answer.blocked = Some(reason),
            Some("ask") => answer.blocked = Some(format!("the user has to approve it: {reason}")),
            Some("allow" | "approve") => {
                answer.ignored = Some("a hook cannot allow what the rules do not".to_owned());
            }
            _ => {}
        }
        if value["continue"] == Value::Bool(false) {
            let why =
                word(&value["stopReason"]).unwrap_or_else(|| "a hook of the skill ended the run".to_owned());
            answer.stopped = Some(cut(&why, REASON));
        }
        answer.input = Some(&own["updatedInput"]).filter(|input| input.is_object()).cloned();
        let context = [&own["additionalContext"], &value["systemMessage"]].into_iter().find_map(word);
        answer.context = context.map(|context| cut(&context, CONTEXT));
        answer
    }
}

fn cut(text: &str, limit: usize) -> String {
    text.chars().take(limit).collect()
}
