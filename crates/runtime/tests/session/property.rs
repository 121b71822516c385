//! Properties of every sequence of events.

use crate::{gate, skill};
use proptest::prelude::*;
use skillful_runtime::session::{Abilities, DEPTH_LIMIT, Event, HISTORY_LIMIT, Outcome, Session, Skill};
use std::collections::BTreeSet;

fn event() -> impl Strategy<Value = Event> {
    let name = || prop::sample::select(vec!["a", "b", "c", "end", "lost", "gone", ""]);
    prop_oneof![
        1 => Just(Event::TurnStarted),
        2 => (name(), any::<bool>(), 0..4u8).prop_map(|(name, fork, call)| Event::Activate {
            skill: Skill { fork, ..gate(name).unwrap_or_else(|_| skill(name, Some("c"))) },
            call: call.to_string(),
        }),
        4 => name().prop_map(|name| Event::Transition { target: name.to_owned(), reason: None }),
        2 => Just(Event::Step),
        4 => ("[a-z ]{0,4}", any::<bool>()).prop_map(|(text, tool_calls)| Event::FinalAnswer { text, tool_calls }),
        1 => Just(Event::MarkUntrusted { source: "mail".to_owned() }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn depth_holds_forks_are_single_and_replay_gives_the_same_state(
        events in prop::collection::vec(event(), 0..120),
        (sub_agents, nested, strict_targets) in any::<(bool, bool, bool)>(),
    ) {
        let abilities = Abilities { sub_agents, nested, strict_targets };
        let (mut session, mut forks, mut moves) = (Session::new(abilities), BTreeSet::new(), 0);
        let mut untrusted = false;
        for event in &events {
            let outcome = session.apply(event, &gate);
            if matches!(event, Event::TurnStarted) {
                moves = 0;
            }
            untrusted |= matches!(event, Event::MarkUntrusted { .. });
            match outcome {
                Outcome::Fork { call, .. } => {
                    prop_assert!(sub_agents && !nested && !untrusted);
                    prop_assert!(forks.insert(call), "started twice");
                }
                Outcome::Moved { .. } => moves += 1,
                _ => {}
            }
            prop_assert!(session.depth() <= DEPTH_LIMIT && moves <= DEPTH_LIMIT);
            prop_assert!(session.history().records.len() <= HISTORY_LIMIT);
            prop_assert_eq!(session.is_untrusted(), untrusted);
        }
        // Half of the events, a restart, the other half.
        let (first, second) = events.split_at(events.len() / 2);
        let mut replay = Session::new(abilities);
        for event in first {
            replay.apply(event, &gate);
        }
        let mut replay: Session = serde_json::from_str(&serde_json::to_string(&replay).unwrap()).unwrap();
        for event in second {
            replay.apply(event, &gate);
        }
        prop_assert_eq!(replay, session);
    }
}
