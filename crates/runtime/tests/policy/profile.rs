//! What a manifest asks for against what is in effect.

use crate::{ground, lists};
use skillful_catalog::profile::{Scope, ToolListMode};
use skillful_runtime::policy::{ManifestRule, Policy, Request, ToolCall, ToolLists, ToolsInEffect};

fn in_effect(allowed: &str, rule: ManifestRule) -> ToolsInEffect {
    ToolsInEffect { lists: lists(allowed, ""), rule }
}

fn with(in_effect: &ToolsInEffect, asked: &ToolLists, scope: Scope, opt_in: bool) -> (ToolLists, String) {
    let ground = ground(ToolListMode::Restrict);
    let (lists, difference) = in_effect.with(Request { lists: asked, scope, opt_in }, &ground);
    (lists, difference.to_string())
}

#[test]
fn a_manifest_never_widens_without_a_yes() {
    let asked = lists("Read Bash", "");
    let in_effect = in_effect("Read Bash(git:*)", ManifestRule::OptIn);
    let (effect, words) = with(&in_effect, &asked, Scope::Project, false);
    assert_eq!(effect.allowed, lists("Read", "").allowed);
    assert_eq!(
        words,
        "the skill asks for Bash, which is not given: nobody has agreed to it yet\nthe skill does without Bash(git:*)"
    );
    let (effect, words) = with(&in_effect, &asked, Scope::Project, true);
    assert_eq!(effect.allowed, asked.allowed);
    assert_eq!(words, "the skill adds Bash");
}

#[test]
fn strict_mode_gives_nothing_even_with_a_yes() {
    let (effect, words) =
        with(&in_effect("Read", ManifestRule::Strict), &lists("Read Write", ""), Scope::System, true);
    assert_eq!(effect.allowed, lists("Read", "").allowed);
    assert_eq!(
        words,
        "the skill asks for Write, which is not given: manifests do not add tools in strict mode"
    );
}

#[test]
fn trusted_source_hears_system_and_managed_skills_only() {
    let in_effect = in_effect("Read", ManifestRule::TrustedSource);
    let asked = lists("Read Write", "");
    for (scope, widened) in [
        (Scope::System, true),
        (Scope::Managed, true),
        (Scope::Project, false),
        (Scope::User, false),
        (Scope::Plugin, false),
        (Scope::Extra, false),
        (Scope::Custom, false),
        (Scope::Integration, false),
    ] {
        let (effect, words) = with(&in_effect, &asked, scope, true);
        assert_eq!(effect.allowed == asked.allowed, widened, "{scope:?}: {words}");
    }
}

#[test]
fn a_skill_may_narrow_in_every_mode() {
    for rule in [ManifestRule::Strict, ManifestRule::TrustedSource, ManifestRule::OptIn] {
        let in_effect = in_effect("Read Bash(git:*)", rule);
        let (effect, words) =
            with(&in_effect, &lists("Bash(git status) Read(src/**)", "WebFetch"), Scope::Project, false);
        assert_eq!(effect, lists("Bash(git status) Read(src/**)", "WebFetch"));
        assert_eq!(words, "the skill does without Read, Bash(git:*)\nthe skill forbids WebFetch");
    }
}

#[test]
fn a_list_where_everything_was_allowed_is_said_to_close() {
    let (effect, words) = with(&ToolsInEffect::default(), &lists("Read", ""), Scope::Project, false);
    assert_eq!(effect.allowed, lists("Read", "").allowed);
    assert_eq!(words, "now every tool is allowed; the skill leaves only Read");
}

#[test]
fn where_a_list_approves_no_manifest_approves_itself() {
    let ground = ground(ToolListMode::Preapprove);
    let asked = lists("Bash(git:*)", "");
    let request = Request { lists: &asked, scope: Scope::Project, opt_in: false };
    let in_effect = ToolsInEffect { lists: ToolLists::default(), rule: ManifestRule::OptIn };
    let (effect, difference) = in_effect.with(request, &ground);
    assert_eq!(difference.wider, ["Bash(git:*)"]);
    let policy = Policy::of(&effect, &ground);
    assert!(!policy.decide(&ToolCall::command("Bash", "git status")).is_allowed());
}

#[test]
fn nothing_new_is_said_to_change_nothing() {
    let (_, words) =
        with(&in_effect("Read", ManifestRule::Strict), &lists("Read", ""), Scope::Project, false);
    assert_eq!(words, "the skill changes nothing about tools");
}
