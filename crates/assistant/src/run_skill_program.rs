//! `run_skill_program`: the model names a program of a skill and its arguments.

use crate::{
    approval::{ApprovalAnswer, ApprovalRequest},
    dispatch::SkillArguments,
    programs::SkillPrograms,
    tool::{Effect, Preview, Reach, ToolPlan},
    turn_loop::TurnLoop,
};
use serde_json::{Map, Value, json};
use skillful::shell_word::shell_word;
use skillful_catalog::Entry;
use skillful_credentials::{env::UnansweredSecret, proxy::Request};
use skillful_llm::ToolSpec;

/// Name of the tool.
pub(crate) const RUN_SKILL_PROGRAM: &str = "run_skill_program";
/// Most arguments of one call.
const ARGUMENTS: usize = 256;
/// Most bytes of all arguments and the input.
const BYTES: usize = 512 << 10;
/// What a question calls giving a secret to a skill.
const GIVE: &str = "secret";

/// Name, description and schema for the model.
pub(crate) fn spec() -> ToolSpec {
    let words = json!({ "type": "array", "items": { "type": "string" }, "maxItems": ARGUMENTS });
    ToolSpec {
        name: RUN_SKILL_PROGRAM.to_owned(),
        description: include_str!("../prompts/tools/run_skill_program.md").trim_end().to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "skill": { "type": "string" },
                "program": { "type": "string" },
                "arguments": words,
                "stdin": { "type": "string", "description": "What the program reads." },
            },
            "required": ["skill"],
            "additionalProperties": false,
        }),
    }
}

/// Plans a call. The user is asked about secrets that the skill may not have yet.
pub(crate) fn plan<'s>(
    turn_loop: &mut TurnLoop<'_, '_, '_, '_>,
    programs: &'s SkillPrograms<'s>,
    arguments: &Map<String, Value>,
) -> Result<ToolPlan<'s>, String> {
    let text = SkillArguments(arguments);
    let (skill, entry) = programs.find(text.needed("skill")?)?;
    let program = text.optional("program")?.map(str::to_owned).filter(|name| !name.is_empty());
    let stdin = text.optional("stdin")?.map(str::to_owned);
    let words = words(arguments.get("arguments"))?;
    let bytes: usize = words.iter().chain(&stdin).map(String::len).sum();
    if bytes > BYTES || words.iter().chain(&program).any(|word| word.contains('\0')) {
        return Err(format!("`arguments` and `stdin` must have at most {BYTES} bytes and no NUL"));
    }
    for secret in programs.unanswered(&skill) {
        ask(turn_loop, programs, entry, &secret)?;
    }
    let all = ["skillful", "exec", &skill].into_iter().chain(program.as_deref());
    let command = all.chain(words.iter().map(String::as_str)).map(shell_word).collect::<Vec<_>>().join(" ");
    let shown = command.trim_start_matches("skillful exec ").to_owned();
    let reach = if programs.has_network(&skill) { Reach::Beyond } else { Reach::Project };
    let request = Request::Run { skill: skill.clone(), args: words, stdin, program };
    Ok(ToolPlan {
        summary: format!("run the program {shown}"),
        effects: vec![Effect::Program { skill: skill.clone(), command: command.clone() }],
        reach,
        preview: Some(Preview::Text(command)),
        parallel: false,
        work: Box::new(move || programs.run(&skill, &request)),
    })
}

fn words(value: Option<&Value>) -> Result<Vec<String>, String> {
    let wrong = || "`arguments` must be a list of texts".to_owned();
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(all)) if all.len() <= ARGUMENTS => {
            all.iter().map(|word| word.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(Value::Array(_)) => Err(format!("`arguments` must have at most {ARGUMENTS} words")),
        Some(_) => Err(wrong()),
    }
}

/// Asks whether a skill may have a secret, in every mode; a yes counts for this session.
fn ask(
    turn_loop: &mut TurnLoop<'_, '_, '_, '_>,
    programs: &SkillPrograms<'_>,
    entry: &Entry,
    secret: &UnansweredSecret,
) -> Result<(), String> {
    let skill = entry.address();
    let question = ApprovalRequest {
        tool: GIVE.to_owned(),
        summary: format!("{skill} gets {} for its programs", secret.secret),
        reach: Reach::Guarded,
        why: secret.why.clone(),
        preview: Some(Preview::Text(format!("always: {}", secret.fix))),
        skill: Some(skill),
    };
    let refused = || format!("{}; the user can run: {}", secret.why, secret.fix);
    match turn_loop.setup.approver.ask(&question) {
        ApprovalAnswer::Once | ApprovalAnswer::Always => programs.allow(entry, &secret.secret),
        ApprovalAnswer::No(_) => Err(refused()),
        ApprovalAnswer::Stop => {
            turn_loop.stopped = Some("the user stopped the turn".to_owned());
            Err(refused())
        }
    }
}
