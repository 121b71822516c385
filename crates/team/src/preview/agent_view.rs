//! A skill as one agent shows it.

use super::{
    PreviewRefusal, SkillPreview, described,
    home::{Home, folder_name},
    unknown_agent,
};
use crate::error::TeamError;
use skillful::{
    Way, Workspace,
    turn::{MenuRoom, menu_budget},
};
use skillful_agents::Listed;
use skillful_format::Tree;
use skillful_render::menu::{MenuItem, Truncation, menu};
use skillful_runtime::compose;
use std::{collections::BTreeSet, path::Path};

/// Bytes of the text of a preview.
const SHOWN: usize = 1 << 20;

pub(super) fn preview(tree: &Tree, agent: &str) -> Result<SkillPreview, TeamError> {
    let name = folder_name(tree);
    let home = Home::new(&BTreeSet::from([name.as_str()]))?;
    let empty = home.workspace();
    let profile = empty.agent(agent).map_err(|unknown| unknown_agent(&unknown.word, &unknown.near))?.clone();
    let Some(root) = home.root(&empty, &profile) else {
        return Err(TeamError::invalid(
            "no-folder",
            format!("{} reads no folder of skills that a preview could use", profile.title),
        ));
    };
    Home::put(&root, &name, tree)?;
    let workspace = home.workspace();
    let view = workspace.view(&profile);
    let is_ours = |key: &Path| key.starts_with(home.folder.path().canonicalize().unwrap_or_default());
    let mut preview = SkillPreview {
        agent: described(&profile),
        loads: false,
        refusal: None,
        name: None,
        description: None,
        user_only: None,
        menu: String::new(),
        cut: Vec::new(),
        text: None,
        text_refused: None,
        commands: Vec::new(),
        unfilled: Vec::new(),
        warnings: view.notes.iter().map(|note| home.tidy(note)).collect(),
    };
    let Some(seen) = view.seen.iter().find(|seen| is_ours(&seen.key)) else {
        preview.refusal =
            view.unseen.iter().find(|unseen| is_ours(&unseen.key)).map(|unseen| PreviewRefusal {
                code: serde_json::to_value(unseen.code)
                    .ok()
                    .and_then(|code| code.as_str().map(str::to_owned))
                    .unwrap_or_default(),
                reason: home.tidy(&unseen.reason),
                fix: unseen.fix.as_deref().map(|fix| home.tidy(fix)),
            });
        preview.text_refused = Some(format!("{} does not load the skill", profile.title));
        return Ok(preview);
    };
    preview.loads = true;
    preview.name = Some(seen.name.clone());
    preview.description.clone_from(&seen.description);
    preview.warnings.extend(seen.warnings.iter().map(|warning| home.tidy(warning)));
    match &seen.listed {
        Listed::UserOnly(why) => preview.user_only = Some(home.tidy(why)),
        // The line that the menu has once the agent uses such a file.
        Listed::Model | Listed::Waits(_) => {
            if let Listed::Waits(why) = &seen.listed {
                preview.warnings.push(home.tidy(why));
            }
            let item = MenuItem {
                name: seen.name.clone(),
                description: seen.description.clone().unwrap_or_default(),
                when_to_use: seen.when_to_use.clone(),
                location: home.tidy(&seen.file.display().to_string()),
            };
            let shown = menu(
                &[item],
                profile.menu.style,
                menu_budget(MenuRoom::default(), Some(&profile), &|_| None),
            );
            preview.cut =
                shown.losses.iter().map(|loss| cut(loss.truncation, shown.budget.description)).collect();
            preview.menu = shown.text;
        }
    }
    loaded(&home, &workspace, &profile.id, &seen.file, &mut preview);
    Ok(preview)
}

/// A loss of the menu in a sentence.
fn cut(truncation: Truncation, most: usize) -> String {
    match truncation {
        Truncation::Capped { lost } => {
            format!("the description loses its last {lost} characters; the agent shows at most {most}")
        }
        Truncation::Shortened { lost } => {
            format!("the description loses {lost} characters, since the menu of the agent is full")
        }
        Truncation::NameOnly => "only the name is shown, since the menu of the agent is full".to_owned(),
        Truncation::Omitted => "the skill is not shown, since the menu of the agent is full".to_owned(),
    }
}

/// Adds the text that a model reads when it loads the skill.
fn loaded(home: &Home, workspace: &Workspace, agent: &str, file: &Path, preview: &mut SkillPreview) {
    let refused = |preview: &mut SkillPreview, why: String| preview.text_refused = Some(home.tidy(&why));
    let Ok(workspace) = workspace.with_agent(agent) else { return };
    let word = file.parent().unwrap_or(file).display().to_string();
    let proof = match workspace.admit(&word, Way::Load) {
        Ok(proof) => proof,
        Err(unusable) => return refused(preview, unusable.to_string()),
    };
    let catalog = workspace.catalog();
    // Without a `BodyExecution` the commands of the text stay as written.
    match compose::load(&workspace.engine(&catalog, None), &proof, "") {
        Ok((activation, text)) => {
            let mut text = home.tidy(&text);
            if text.len() > SHOWN {
                let end = (0..=SHOWN).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                preview.warnings.push(format!("the text has {} bytes; the preview shows {end}", text.len()));
                text.truncate(end);
            }
            preview.text = Some(text);
            preview.commands = activation.commands.into_iter().map(|command| command.written).collect();
            preview.unfilled = activation.unfilled;
            preview.warnings.extend(activation.diagnostics.iter().map(|found| home.tidy(&found.message)));
        }
        Err(error) => refused(preview, error.to_string()),
    }
}
