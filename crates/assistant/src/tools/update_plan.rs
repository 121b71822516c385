//! `update_plan`: the steps of a task, which the user sees.

use super::{arguments::Arguments, spec};
use crate::{
    tool::{Output, Preview, Reach, Tool, ToolPlan},
    tool_environment::ToolEnvironment,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use skillful_llm::ToolSpec;

/// Most steps of a plan.
const STEPS: usize = 50;

/// Shows a plan.
pub(super) struct UpdatePlan;

/// One step.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    step: String,
    status: Status,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    // Other agents call it so, and their models are used to it.
    #[serde(alias = "completed")]
    Done,
}

impl Status {
    fn mark(self) -> &'static str {
        match self {
            Self::Pending => "[ ]",
            Self::InProgress => "[>]",
            Self::Done => "[x]",
        }
    }
}

impl Tool for UpdatePlan {
    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "steps": {
                "type": "array",
                "minItems": 1,
                "maxItems": STEPS,
                "items": {
                    "type": "object",
                    "properties": {
                        "step": { "type": "string", "description": "What is done, in a few words." },
                        "status": { "type": "string", "enum": ["pending", "in_progress", "done"] },
                    },
                    "required": ["step", "status"],
                    "additionalProperties": false,
                },
            },
        });
        spec("update_plan", include_str!("../../prompts/tools/update_plan.md"), &schema, &["steps"])
    }

    fn plan<'a>(
        &'a self,
        arguments: &Map<String, Value>,
        _env: &'a ToolEnvironment<'a>,
    ) -> Result<ToolPlan<'a>, String> {
        Arguments::new(arguments, &["steps"])?;
        let steps = arguments.get("steps").cloned().unwrap_or_default();
        let steps: Vec<Step> = serde_json::from_value(steps).map_err(|error| {
            format!(
                "`steps` is a list of objects with `step` and `status` (pending, in_progress, done): {error}"
            )
        })?;
        if steps.is_empty() || steps.len() > STEPS {
            return Err(format!("`steps` has {} steps; a plan has 1 to {STEPS}", steps.len()));
        }
        let of = |status| steps.iter().filter(move |one| one.status == status);
        if of(Status::InProgress).count() > 1 {
            return Err("more than one step is in progress; mark one".to_owned());
        }
        let done = of(Status::Done).count();
        let now = of(Status::InProgress).map(|one| format!(": {}", one.step.trim())).next();
        let lines: Vec<String> =
            steps.iter().map(|one| format!("{} {}", one.status.mark(), one.step.trim())).collect();
        Ok(ToolPlan {
            summary: format!("plan, {done} of {} done{}", steps.len(), now.unwrap_or_default()),
            effects: Vec::new(),
            reach: Reach::Nothing,
            preview: Some(Preview::Text(lines.join("\n"))),
            parallel: true,
            work: Box::new(|| Output::ok("The user sees the plan.")),
        })
    }
}
