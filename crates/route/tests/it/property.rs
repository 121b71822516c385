//! After any sequence of changes, a stored and updated index gives the same results as a new one.

use crate::fixture::{TestWorkspace, answers};
use crate::sample::SKILLS;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn a_stored_and_updated_index_equals_a_new_one(
        rounds in prop::collection::vec(
            prop::collection::vec((0..10_usize, 0..SKILLS.len(), any::<bool>()), 0..4), 1..6),
        in_memory in any::<bool>(),
    ) {
        let workspace = TestWorkspace::new();
        let (_, mut router, _) = workspace.open();
        let name = |at: usize| SKILLS.get(at).map_or_else(|| format!("new-{at}"), |skill| skill.0.to_owned());
        for changes in rounds {
            for (at, text, keep) in changes {
                let (_, description, body) = SKILLS[text];
                if keep {
                    workspace.skill(&name(at), description, body);
                } else if workspace.path("home/.alpha/skills").join(name(at)).exists() {
                    workspace.remove(&name(at));
                }
            }
            let catalog = workspace.catalog();
            router = if in_memory { router.reopen(&catalog).0 } else { workspace.open().1 };
            prop_assert_eq!(answers(&catalog, &router), workspace.expected());
            let fresh = skillful_route::Router::open(&catalog, None).0;
            prop_assert_eq!(router.fingerprint(), fresh.fingerprint());
        }
    }
}
