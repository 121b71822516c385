//! `enable` and `disable`: one rule in the configuration.

use super::{library, printed};
use crate::{
    args::SwitchArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{harmless, tell, wrapped},
    prompt,
};
use skillful::{
    library::{Ambiguous, SwitchRequest, Switched},
    shell_word::shell_word,
};

pub(crate) fn run(context: &mut Context, args: &SwitchArgs, enabled: bool) -> Outcome {
    if let Some(agent) = &args.agent {
        return super::agent_settings::switch(context, agent, &args.skills, enabled);
    }
    // A path to a skill below no known root is found as well.
    for word in args.skills.iter().filter(|word| word.contains('/')) {
        context.find(word)?;
    }
    let mut request =
        SwitchRequest { words: args.skills.clone(), enabled, project: args.project, all: args.all };
    while !context.output.json && prompt::is_possible() {
        let Some(open) = library::user(context)?.ambiguous(&request) else { break };
        choose(&open, &mut request)?;
    }
    let library = library::user(context)?;
    let done = library.apply_switch(library.plan_switch(&request)?)?;
    if context.output.json {
        printed(context.output.print_json(&done))?;
    } else {
        printed(context.output.print(&text(context, &done)))?;
        printed(context.output.print(&still_loaded(context, &done)))?;
        for skill in &done.skills {
            if let Some(by) = &skill.still_disabled_by {
                tell(&format!("warning: {} stays disabled: {}\n", harmless(&skill.skill), harmless(by)));
            } else if let Some(why) = &skill.not_usable {
                let line = format!("warning: {} cannot be used: {}\n", harmless(&skill.skill), harmless(why));
                tell(&line);
            }
            if let Some(fix) = &skill.fix {
                tell(&format!("  fix:   {}\n", harmless(fix)));
            }
        }
    }
    Ok(if done.is_effective() { Exit::Clean } else { Exit::Findings })
}

/// Asks which of several skills of one name is meant.
fn choose(open: &Ambiguous, request: &mut SwitchRequest) -> Result<(), Failure> {
    tell(&format!("`{}` is the name of {} skills:\n", harmless(&open.word), open.choices.len()));
    for (at, choice) in open.choices.iter().enumerate() {
        tell(&format!("  {}  {}\n", at + 1, harmless(choice)));
    }
    let answer = prompt::line("which? a number, [a]ll, or [n]one").map_err(failed("ask"))?;
    let answer = answer.unwrap_or_default();
    if matches!(answer.trim(), "a" | "all") {
        request.all = true;
        return Ok(());
    }
    let chosen = answer.trim().parse::<usize>().ok().and_then(|at| open.choices.get(at.checked_sub(1)?));
    let chosen = chosen.ok_or_else(|| Failure::new("nothing was changed"))?;
    for word in request.words.iter_mut().filter(|word| **word == open.word) {
        word.clone_from(chosen);
    }
    Ok(())
}

fn text(context: &Context, done: &Switched) -> String {
    let verb = if done.enabled { "enabled" } else { "disabled" };
    let file = context.short(&done.file);
    let line = |skill: &skillful::library::Switch| {
        let at = skill.path.as_ref().map_or_else(String::new, |path| format!(" at {}", context.short(path)));
        format!("{verb} {}{at} in {file}\n", harmless(&skill.skill))
    };
    done.skills.iter().filter(|skill| skill.still_disabled_by.is_none()).map(line).collect()
}

/// Whom a disable does not affect: agents have settings of their own.
fn still_loaded(context: &Context, done: &Switched) -> String {
    let mut out = String::new();
    for skill in done.skills.iter().filter(|skill| !skill.still_loaded_by.is_empty()) {
        let agents = skill.still_loaded_by.iter().filter_map(|id| context.workspace.agent(id).ok());
        let agents: Vec<_> = agents.collect();
        let titles: Vec<&str> = agents.iter().map(|agent| agent.title.as_str()).collect();
        let verb = if titles.len() == 1 { "loads" } else { "load" };
        let line = format!(
            "{} still {verb} {}; this setting is Skillful's own",
            titles.join(", "),
            harmless(&skill.skill)
        );
        out.push_str(&wrapped(&line, context.output.width, "  "));
        for agent in agents.iter().filter(|agent| agent.skill_switch.is_some()) {
            let word = shell_word(&skill.skill);
            out.push_str(&format!("  fix: skillful disable {} --agent {}\n", harmless(&word), agent.id));
        }
    }
    out
}
