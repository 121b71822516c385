//! Applies an agent's rules to a name or description: accepted types, changes, refusals.

#[cfg(test)]
mod tests;

use super::{Listed, UnseenCode, dialect::Value, skill::Cause};
use skillful_profiles::{
    AgentProfile, BlankName, Characters, DescriptionFallback, DescriptionRule, Kinds, Missing, Null, Rewrite,
    WrongKind,
};

/// The text of a field, or `None` if it counts as missing; the error is the type it has instead.
fn text_of(agent: &AgentProfile, value: &Value, kinds: Kinds) -> Result<Option<String>, &'static str> {
    match value {
        Value::Text(text) => Ok(Some(text.clone())),
        Value::Scalar(text) if kinds == Kinds::Scalars => Ok(Some(text.clone())),
        Value::Scalar(_) | Value::Other(_) if agent.frontmatter.wrong_kind == WrongKind::Missing => Ok(None),
        Value::Scalar(_) => Err("a number, a boolean or a date"),
        Value::Other(kind) => Err(kind),
        Value::Null if agent.frontmatter.null == Null::WrongKind => Err("nothing"),
        Value::Null | Value::Missing => Ok(None),
    }
}

fn value_fix(value: &Value) -> &'static str {
    if *value == Value::Null { "write a value after the colon" } else { "put the value in quotes" }
}

/// The name of a skill in the agent; `own` is the name of its folder or file.
pub(super) fn name(agent: &AgentProfile, value: &Value, own: &str) -> Result<String, Cause> {
    let rule = &agent.name;
    let title = &agent.title;
    let refuse = |reason: String, fix: &str| Err(Cause::new(UnseenCode::Name, reason).fix(fix));
    let written = match text_of(agent, value, rule.kinds) {
        Ok(written) => written.filter(|name| rule.blank == BlankName::Name || !name.trim().is_empty()),
        Err(kind) => {
            return refuse(
                format!("{title} requires a name that is text, but this is {kind}"),
                value_fix(value),
            );
        }
    };
    let name = match written {
        Some(name) => name,
        None if rule.missing == Missing::Refuse => {
            return refuse(
                format!("{title} refuses a skill without a name"),
                "add `name: …` to the frontmatter",
            );
        }
        None => own.to_owned(),
    };
    let name = match rule.rewrite {
        Rewrite::None => name,
        Rewrite::OneLine => one_line(&name),
        Rewrite::Trim => name.trim().to_owned(),
        Rewrite::Hyphens => {
            name.trim().split(' ').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
        }
        Rewrite::PathSafe => name.replace([':', '\\', '/', '<', '>', '*', '?', '"', '|'], "-"),
    };
    let length = name.chars().count();
    if let Some(most) = rule.max.filter(|most| length > *most as usize) {
        return refuse(
            format!("{title} refuses names over {most} characters; this one has {length}"),
            "shorten the name",
        );
    }
    let is_allowed = match rule.characters {
        Characters::Any => true,
        Characters::NoSlash => !name.contains('/'),
        Characters::Slug => is_slug(&name),
        Characters::Word => name.chars().all(|c| c.is_alphanumeric() || "_:.-".contains(c)),
        Characters::AsciiWord => {
            name.starts_with(|c: char| c.is_ascii_alphanumeric())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "_:.-".contains(c))
        }
    };
    if !is_allowed {
        let wanted = match rule.characters {
            Characters::Slug => "only lower-case letters, digits and hyphens",
            Characters::Word => "only letters, digits, `_`, `:`, `.` and `-`",
            Characters::AsciiWord => "a letter or digit of ASCII, followed by such, `_`, `:`, `.` and `-`",
            Characters::NoSlash | Characters::Any => "no slash",
        };
        return refuse(
            format!("{title} refuses the name `{name}`: it allows {wanted}"),
            "choose another name",
        );
    }
    if rule.equals_folder && name != own {
        return refuse(
            format!("{title} requires the name `{name}` to be the folder's name, `{own}`"),
            "rename one of the two",
        );
    }
    Ok(name)
}

fn is_slug(name: &str) -> bool {
    let edge = |c: char| c == '-';
    !name.is_empty()
        && !name.starts_with(edge)
        && !name.ends_with(edge)
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// What the description of a skill is made from.
pub(super) struct Described<'a> {
    pub(super) value: &'a Value,
    /// The text below the frontmatter, where it is known.
    pub(super) body: Option<&'a str>,
    /// Whether the file is a command.
    pub(super) is_command: bool,
}

/// The description of a skill in the agent, and whether the agent lists the skill to the model.
pub(super) fn description(
    agent: &AgentProfile,
    Described { value, body, is_command }: Described<'_>,
    root_rule: Option<Missing>,
) -> Result<(Option<String>, Listed), Cause> {
    let rule = &agent.description;
    let title = &agent.title;
    let refuse = |reason: String, fix: &str| Err(Cause::new(UnseenCode::Description, reason).fix(fix));
    let written = match text_of(agent, value, rule.kinds) {
        Ok(written) => written.map(|text| match (rule.one_line, rule.trim) {
            (true, _) => one_line(&text),
            (false, true) => text.trim_matches(is_space).to_owned(),
            (false, false) => text,
        }),
        Err(kind) => {
            let reason = format!("{title} requires a description that is text, but this is {kind}");
            return refuse(reason, value_fix(value));
        }
    };
    let without = match &written {
        None => Some(root_rule.unwrap_or(rule.missing)),
        Some(text) if text.is_empty() || (!rule.blank && text.trim().is_empty()) => {
            Some(root_rule.unwrap_or(rule.empty))
        }
        Some(_) => None,
    };
    match without {
        Some(Missing::Refuse) => {
            return refuse(
                format!("{title} refuses a skill without a description"),
                "add `description: …` to the frontmatter",
            );
        }
        Some(Missing::Unlisted) => {
            return Ok((written, Listed::UserOnly("it has no description".to_owned())));
        }
        Some(Missing::Accept) | None => {}
    }
    let unknown = || Cause::new(UnseenCode::Description, "the text below the frontmatter is not known");
    let written = match rule.fallback {
        DescriptionFallback::FirstLine if without.is_some() => {
            first_line(rule, body.ok_or_else(unknown)?, is_command)
        }
        DescriptionFallback::FirstLines if written.is_none() => {
            Some(first_lines(rule, body.ok_or_else(unknown)?))
        }
        _ => written,
    };
    let length = written.as_ref().map_or(0, |text| text.chars().count());
    if let Some(most) = rule.max.filter(|most| length > *most as usize) {
        let reason = format!("{title} refuses descriptions over {most} characters; this one has {length}");
        return refuse(reason, "shorten the description");
    }
    Ok((written, Listed::Model))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What JavaScript removes from the ends of a text.
fn is_space(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// The first lines of text, without headings.
fn first_lines(rule: &DescriptionRule, body: &str) -> String {
    const LINES: usize = 3;
    let is_text = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let lines: Vec<&str> = body.lines().map(str::trim).filter(is_text).take(LINES).collect();
    let most = rule.fallback_max.map_or(usize::MAX, |most| most as usize);
    lines.join(" ").chars().take(most).collect()
}

fn first_line(rule: &DescriptionRule, body: &str, is_command: bool) -> Option<String> {
    let Some(line) = body.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return if is_command { rule.fallback_command.clone() } else { rule.fallback_empty.clone() };
    };
    let heading = line.trim_start_matches('#');
    let line = if heading.starts_with(char::is_whitespace) { heading.trim_start() } else { line };
    match rule.fallback_max {
        Some(most) if line.chars().count() > most as usize => {
            Some(line.chars().take(most as usize - 3).chain("...".chars()).collect())
        }
        _ => Some(line.to_owned()),
    }
}
