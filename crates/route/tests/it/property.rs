//! After any sequence of changes, what was kept answers as what is built.

use crate::fixture::{SKILLS, World, answers};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn kept_and_updated_equals_built(
        rounds in prop::collection::vec(
            prop::collection::vec((0..10_usize, 0..SKILLS.len(), any::<bool>()), 0..4), 1..6),
        in_memory in any::<bool>(),
    ) {
        let world = World::new();
        let (_, mut router, _) = world.open();
        let name = |at: usize| SKILLS.get(at).map_or_else(|| format!("new-{at}"), |skill| skill.0.to_owned());
        for changes in rounds {
            for (at, text, keep) in changes {
                let (_, description, body) = SKILLS[text];
                if keep {
                    world.skill(&name(at), description, body);
                } else if world.path("home/.alpha/skills").join(name(at)).exists() {
                    world.remove(&name(at));
                }
            }
            let catalog = world.catalog();
            router = if in_memory { router.reopen(&catalog).0 } else { world.open().1 };
            prop_assert_eq!(answers(&catalog, &router), world.expected());
            let fresh = skillful_route::Router::open(&catalog, None).0;
            prop_assert_eq!(router.fingerprint(), fresh.fingerprint());
        }
    }
}
