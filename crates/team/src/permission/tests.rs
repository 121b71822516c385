use super::*;
use std::collections::{BTreeMap, BTreeSet};

fn actor(roles: &[Role], group: Option<GroupRole>) -> Actor {
    Actor {
        user: Some("me".to_owned()),
        org: "main".to_owned(),
        roles: roles.iter().copied().collect(),
        groups: group.map(|role| ("g".to_owned(), role)).into_iter().collect::<BTreeMap<_, _>>(),
        scopes: TokenScope::ALL.iter().copied().collect::<BTreeSet<_>>(),
        bound: String::new(),
        change: 0,
        until: None,
    }
}

/// `y` may, `n` may not, `-` does not exist.
fn row(actor: &Actor, deed: Deed) -> String {
    let scopes = [
        Scope::Own("me".to_owned()),
        Scope::Own("other".to_owned()),
        Scope::Group("g".to_owned()),
        Scope::Group("h".to_owned()),
        Scope::Org,
        Scope::Global,
    ];
    let letter = |scope: &Scope| match may(actor, deed, "main", scope, Openness::default()) {
        Ok(()) => 'y',
        Err(TeamError::NotFound) => '-',
        Err(_) => 'n',
    };
    scopes.iter().map(letter).collect()
}

#[test]
fn the_matrix_of_roles_and_deeds() {
    let deeds =
        [Deed::Read, Deed::Edit, Deed::Approve, Deed::Prefer, Deed::Yank, Deed::Revoke, Deed::ReadUsage];
    // Columns: own, another user's, own group, another group, organisation, global.
    for (who, actor, wanted) in [
        ("member", actor(&[], None), ["y---yy", "y---nn", "n---nn", "y---nn", "y---nn", "n---nn", "y---nn"]),
        (
            "editor of the group",
            actor(&[], Some(GroupRole::Editor)),
            ["y-y-yy", "y-y-nn", "n-n-nn", "y-n-nn", "y-n-nn", "n-n-nn", "y-n-nn"],
        ),
        (
            "viewer of the group",
            actor(&[], Some(GroupRole::Viewer)),
            ["y-y-yy", "y-n-nn", "n-n-nn", "y-n-nn", "y-n-nn", "n-n-nn", "y-n-nn"],
        ),
        (
            "owner of the group",
            actor(&[], Some(GroupRole::Owner)),
            ["y-y-yy", "y-y-nn", "n-y-nn", "y-y-nn", "y-y-nn", "n-y-nn", "y-y-nn"],
        ),
        (
            "reviewer",
            actor(&[Role::Reviewer], None),
            ["y-yyyy", "y-nnnn", "n-yyyn", "y-nnnn", "y-nnnn", "n-yyyn", "y-yyyy"],
        ),
        (
            "auditor",
            actor(&[Role::Auditor], None),
            ["yyyyyy", "ynnnnn", "nnnnnn", "ynnnnn", "ynnnnn", "nnnnnn", "yyyyyy"],
        ),
        (
            "administrator of the organisation",
            actor(&[Role::OrgAdmin], None),
            ["yyyyyy", "ynyyyn", "nnyyyn", "ynyyyn", "yyyyyn", "yyyyyn", "yyyyyy"],
        ),
        (
            "administrator of the server",
            actor(&[Role::SiteAdmin], None),
            ["y---yy", "y---ny", "n---ny", "y---ny", "y---yy", "y---yy", "y---yy"],
        ),
    ] {
        for (deed, wanted) in deeds.into_iter().zip(wanted) {
            assert_eq!(row(&actor, deed), wanted, "{who}: {deed:?}");
        }
    }
}

#[test]
fn a_guest_reads_what_is_global_only_where_that_is_open_and_changes_nothing() {
    let guest = Actor::guest("main");
    let open = Openness { guests_read_global: true };
    assert_eq!(row(&guest, Deed::Read), "------");
    assert!(may(&guest, Deed::Read, "main", &Scope::Global, open).is_ok());
    assert!(may(&guest, Deed::Read, "main", &Scope::Org, open).is_err());
    for deed in [Deed::Edit, Deed::Approve, Deed::Prefer, Deed::Yank, Deed::Revoke] {
        assert!(may(&guest, deed, "main", &Scope::Global, open).is_err(), "{deed:?}");
    }
}

#[test]
fn another_organisation_does_not_exist_whatever_the_role() {
    for roles in [&[Role::OrgAdmin][..], &[Role::Auditor], &[Role::Reviewer], &[Role::SiteAdmin]] {
        let actor = actor(roles, Some(GroupRole::Owner));
        for scope in [Scope::Own("other".to_owned()), Scope::Org, Scope::Group("g".to_owned())] {
            let verdict = may(&actor, Deed::Read, "elsewhere", &scope, Openness::default());
            assert_eq!(verdict, Err(TeamError::NotFound), "{roles:?} {scope:?}");
        }
    }
}

#[test]
fn a_token_without_a_scope_is_refused_with_its_name_and_without_reading_nothing_exists() {
    let mut limited = actor(&[Role::OrgAdmin], None);
    limited.scopes = BTreeSet::from([TokenScope::SkillsRead]);
    match may(&limited, Deed::Edit, "main", &Scope::Org, Openness::default()) {
        Err(TeamError::Forbidden(why)) => assert!(why.contains("`skills:write`"), "{why}"),
        other => panic!("{other:?}"),
    }
    let foreign = may(&limited, Deed::Edit, "elsewhere", &Scope::Org, Openness::default());
    assert_eq!(foreign, Err(TeamError::NotFound));
}
