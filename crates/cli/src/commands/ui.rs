//! `ui`: the full-screen view, and the picker of other commands.

use super::printed;
use crate::{
    args::UiArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
};
use skillful::views::{ListFilter, SkillList, SkillMatrix, SkillSummary};
use skillful_tui::{Badge, Item, Keys, Options, Palette, Picker, Role, Theme, UiError, pick};

pub(crate) fn run(context: &mut Context, args: &UiArgs) -> Outcome {
    if context.output.json {
        printed(context.output.print_json(&SkillMatrix::of(&context.workspace)))?;
        return Ok(Exit::Clean);
    }
    is_possible(context)?;
    let variable =
        |name: &str| context.workspace.environment().variable(name).filter(|value| !value.is_empty());
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let section = &context.workspace.config().ui;
    let keys = section.keys.iter().map(|(name, keys)| (name.clone(), keys.words().to_vec())).collect();
    let (keys, mut problems) = Keys::with(&keys);
    problems.extend(Palette::of(&section.colors).1);
    let mouse = !args.no_mouse && section.mouse.unwrap_or(true);
    let options = Options { theme: theme(context), mouse, editor, keys, problems };
    let ended = skillful_tui::run(context.workspace.clone(), &options)?;
    match ended.signal.and_then(|signal| u8::try_from(signal).ok()) {
        Some(signal) => Ok(Exit::Program(128 + signal)),
        None => Ok(Exit::Clean),
    }
}

/// Whether a full screen can be drawn here.
pub(crate) fn is_possible(context: &Context) -> Result<(), UiError> {
    UiError::check(context.workspace.environment().variable("TERM").as_deref())
}

/// Lets the user choose a skill that can be used; returns its mention and a blank, or nothing when the user left.
pub(crate) fn pick_skill(context: &Context, sign: &str) -> Result<String, Failure> {
    let list = SkillList::without_diagnostics(&context.workspace, &ListFilter::default())?;
    let is_usable = |skill: &&SkillSummary| skill.state == "available" && skill.calls.user;
    let skills: Vec<&SkillSummary> = list.skills.iter().filter(is_usable).collect();
    let item = |skill: &&SkillSummary| {
        let badge = Badge { word: skill.scope.clone(), role: Role::Quiet };
        Item::new(&skill.name, badge, skill.description.as_deref().unwrap_or_default())
    };
    let chosen = pick(Picker {
        title: format!("Use which of {} skills?", skills.len()),
        items: skills.iter().map(item).collect(),
        chosen: None,
        query: String::new(),
        theme: theme(context),
    })?;
    let name = chosen.and_then(|rows| rows.first().map(|row| skills[*row].name.clone()));
    Ok(name.map_or_else(String::new, |name| format!("{sign}{name} ")))
}

/// Colours as in the rest of the program; lines of characters when the locale has them.
pub(crate) fn theme(context: &Context) -> Theme {
    let environment = context.workspace.environment();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| environment.variable(name));
    let locale = locale.map(|value| value.to_lowercase()).find(|value| !value.is_empty());
    let unicode = locale.is_some_and(|locale| locale.contains("utf-8") || locale.contains("utf8"));
    let (palette, _) = Palette::of(&context.workspace.config().ui.colors);
    Theme { color: context.output.color, unicode, palette }
}

impl From<UiError> for Failure {
    fn from(error: UiError) -> Self {
        let failure = Self::new(error.to_string());
        let failure = match error.cause() {
            Some(cause) => failure.cause(cause),
            None => failure,
        };
        failure.hint(error.fix())
    }
}
