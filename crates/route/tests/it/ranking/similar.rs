use crate::sample::index;
use skillful_route::ranking::{Extra, Index, SIMILAR_LIMIT, Skill};

#[test]
fn skills_found_by_another_stage_join_the_candidates() {
    let index = index();
    let request = "заполнить анкету";
    assert!(index.search(request, 5).is_empty());
    let extra =
        Extra { similar: &[("pdf-forms", 0.8), ("unit-tests", 0.3), ("gone", 0.9)], ..Extra::default() };
    let hits = index.search_with(request, 5, &extra).unwrap().hits;
    let ids: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
    assert_eq!(ids, ["pdf-forms", "unit-tests"]);
}

#[test]
fn similarity_is_one_more_feature_and_not_the_order_itself() {
    let index = index();
    let request = "write unit tests with fixtures for the service and deploy it";
    let plain = index.search(request, 2);
    assert_eq!(plain[0].id, "unit-tests");
    let with = |weight, low: f32, high: f32| {
        let similar = [("unit-tests", low), (plain[1].id.as_str(), high)];
        let extra = Extra { similar: &similar, weight: Some(weight), ..Extra::default() };
        index.search_with(request, 1, &extra).unwrap().hits[0].id.clone()
    };
    assert_eq!(with(0.1, 0.5, 0.6), "unit-tests");
    assert_eq!(with(100.0, 0.1, 0.9), plain[1].id);
}

#[test]
fn invalid_or_surplus_similarities_are_ignored() {
    let index = index();
    let plain = index.judge("fill a pdf form", 10);
    let broken = [("pdf-forms", f32::NAN), ("sql-tuning", f32::INFINITY)];
    let extra = Extra { similar: &broken, weight: Some(f32::NAN), ..Extra::default() };
    assert_eq!(index.search_with("fill a pdf form", 10, &extra).unwrap(), plain);
    let many = vec![("unknown", 0.5); SIMILAR_LIMIT * 10];
    let extra = Extra { similar: &many, ..Extra::default() };
    assert_eq!(index.search_with("fill a pdf form", 10, &extra).unwrap(), plain);
}

/// Codex fuses the rankings 1, 2, 3 and 2, 3, 4 by reciprocal ranks to 2, 3, 1, 4. By our measurements that
/// costs 4 to 8 points compared with the better ranking alone; here the second ranking is evidence with a
/// weight.
#[test]
fn two_rankings_are_weighed_and_never_fused_by_rank() {
    let skill = |id, description| Skill { id, name: id, description, ..Skill::default() };
    let index = Index::build(
        &[
            skill("1", "Fill and flatten tax forms in PDF files."),
            skill("2", "Merge PDF files."),
            skill("3", "Compress files."),
            skill("4", "Bake bread."),
        ],
        1,
    );
    let ids = |extra: &Extra<'_>| -> Vec<String> {
        let hits =
            index.search_with("fill and flatten the tax forms in these pdf files", 4, extra).unwrap().hits;
        hits.into_iter().map(|hit| hit.id).collect()
    };
    assert_eq!(ids(&Extra::default()), ["1", "2", "3"]);
    let similar = [("2", 0.42), ("3", 0.41), ("4", 0.40)];
    assert_eq!(ids(&Extra { similar: &similar, ..Extra::default() }), ["1", "2", "3", "4"]);
}

#[test]
fn a_similarity_moves_the_gate_both_ways() {
    let index = index();
    let served = |similarity| {
        let extra = Extra { similar: &[("pdf-forms", similarity)], ..Extra::default() };
        index.search_with("complete this form", 1, &extra).unwrap().served
    };
    let plain = index.judge("complete this form", 1).served;
    assert!(served(0.1) < plain && plain < served(0.7), "{} {plain} {}", served(0.1), served(0.7));
}
