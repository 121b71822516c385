use crate::sample::{index, skills};
use skillful_route::ranking::{Extra, Route, Settings, Skill, Stale};

#[test]
fn a_skill_outside_the_restriction_is_not_returned_and_has_no_influence() {
    let index = index();
    let request = "deploy the payments service to our kubernetes cluster and undo a bad rollout";
    let within = index.restrict(|id| id != "kubernetes-deploy");
    assert_eq!(within.len(), 9);
    let judged =
        index.search_with(request, 150, &Extra { within: Some(&within), ..Extra::default() }).unwrap();
    assert!(judged.hits.iter().all(|hit| hit.id != "kubernetes-deploy"), "{judged:?}");
    assert!(judged.served < index.judge(request, 1).served);
}

#[test]
fn an_empty_restriction_finds_nothing() {
    let index = index();
    let within = index.restrict(|_| false);
    let extra = Extra { within: Some(&within), similar: &[("pdf-forms", 1.0)], ..Extra::default() };
    let judged = index.search_with("fill the pdf form", 150, &extra).unwrap();
    assert!(judged.hits.is_empty() && judged.served == 0.0);
    assert_eq!(judged.decide(&Settings::default()), Route::None);
}

#[test]
fn a_restriction_is_refused_after_the_index_changed() {
    let mut index = index();
    let within = index.restrict(|_| true);
    let ask = |index: &skillful_route::ranking::Index| {
        index.search_with("pdf", 3, &Extra { within: Some(&within), ..Extra::default() })
    };
    assert!(ask(&index).is_ok());
    assert!(!index.remove("unknown"));
    assert!(ask(&index).is_ok(), "nothing changed");
    index.update(&Skill { id: "new", name: "new", ..Skill::default() });
    assert_eq!(ask(&index), Err(Stale));
    index.remove("new");
    index.update(&skills()[0]);
    assert_eq!(ask(&index), Err(Stale), "the same skills at other places");
}
