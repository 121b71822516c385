use crate::sample::{index, skills};
use proptest::prelude::*;
use skillful_route::ranking::{
    Extra, Index, Settings, Skill, evalset,
    fragments::{Author, Message, join},
};

const QUERIES: [&str; 4] = ["deploy a service", "fill the pdf form", "公众号文章", "why is my query slow?"];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,80}", "[a-zA-Z .'?!-]{0,80}", "[一-龥ぁ-んア-ン가-힣a-z ]{0,40}", "\\PC{0,60}"]
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(name in text(), description in text(), body in text(), query in text()) {
        let skill = Skill { id: &name, name: &name, description: &description, body: &body, ..Skill::default() };
        let mut index = Index::build(&[skill], 1);
        index.search(&query, 3);
        index.update(&Skill { id: &query, name: &body, body: &description, ..Skill::default() });
        let hits = index.search(&body, 3);
        prop_assert!(hits.iter().all(|hit| hit.score.is_finite() && (0.0..=1.0).contains(&hit.probability)));
        index.route(&description, &Settings::default());
        evalset::read(&body, &name);
        let message = |text| Message { author: Author::User, text, at: None };
        join(message(&query), &[message(&name), message(&body)]);
    }

    #[test]
    fn a_damaged_buffer_never_panics(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let mut bytes = index().to_bytes(1);
        // Damages only the part after the header, because the header has a checksum.
        for (at, byte) in damage {
            let at = 96 + at.index(bytes.len() - 96);
            bytes[at] = byte;
        }
        if let Ok(mut index) = Index::from_bytes(bytes) {
            for query in QUERIES {
                index.search(query, 10);
            }
            for Skill { id, .. } in skills() {
                index.remove(id);
            }
            index.search("form", 10);
            index.to_bytes(1);
        }
    }

    #[test]
    fn incremental_equals_rebuilt(changes in prop::collection::vec((0..12_usize, 0..10_usize, any::<bool>()), 0..12)) {
        let all = skills();
        let ids: Vec<String> = (0..12).map(|at| all.get(at).map_or_else(|| format!("new-{at}"), |s| s.id.to_owned())).collect();
        let mut index = Index::build(&all, 1);
        let mut expected: std::collections::BTreeMap<&str, Skill<'_>> = all.iter().map(|s| (s.id, *s)).collect();
        for (at, text, keep) in changes {
            let skill = Skill { id: &ids[at], ..all[text] };
            if keep {
                index.update(&skill);
                expected.insert(&ids[at], skill);
            } else {
                prop_assert_eq!(index.remove(&ids[at]), expected.remove(ids[at].as_str()).is_some());
            }
        }
        let rebuilt = Index::build(&expected.into_values().collect::<Vec<_>>(), 1);
        prop_assert_eq!(index.len(), rebuilt.len());
        prop_assert_eq!(index.fingerprint(), rebuilt.fingerprint());
        for query in QUERIES {
            prop_assert_eq!(index.search(query, 20), rebuilt.search(query, 20));
        }
        prop_assert_eq!(index.to_bytes(1), rebuilt.to_bytes(2));
    }

    #[test]
    fn restricted_equals_rebuilt_without_the_rest(
        kept in prop::collection::vec(any::<bool>(), 10),
        changed in prop::collection::vec(0..10_usize, 0..4),
    ) {
        let all = skills();
        let mut index = Index::build(&all, 1);
        for at in changed {
            index.update(&all[at]);
        }
        let allowed: Vec<&str> = all.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(skill, _)| skill.id).collect();
        let within = index.restrict(|id| allowed.contains(&id));
        prop_assert_eq!(&within, &index.restrict_to(allowed.iter().copied()));
        let rest: Vec<Skill<'_>> = all.iter().filter(|skill| allowed.contains(&skill.id)).copied().collect();
        let rebuilt = Index::build(&rest, 1);
        prop_assert_eq!(within.len(), rebuilt.len());
        for query in QUERIES {
            let extra = Extra { within: Some(&within), ..Extra::default() };
            prop_assert_eq!(index.search_with(query, 20, &extra).unwrap(), rebuilt.judge(query, 20));
        }
    }
}
