use crate::library::index;
use skillful_select::route::{Extra, SIMILAR_LIMIT};

#[test]
fn what_another_stage_found_joins_the_candidates() {
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
fn similarities_that_are_no_numbers_or_too_many_do_no_harm() {
    let index = index();
    let plain = index.judge("fill a pdf form", 10);
    let broken = [("pdf-forms", f32::NAN), ("sql-tuning", f32::INFINITY)];
    let extra = Extra { similar: &broken, weight: Some(f32::NAN), ..Extra::default() };
    assert_eq!(index.search_with("fill a pdf form", 10, &extra).unwrap(), plain);
    let many = vec![("nobody", 0.5); SIMILAR_LIMIT * 10];
    let extra = Extra { similar: &many, ..Extra::default() };
    assert_eq!(index.search_with("fill a pdf form", 10, &extra).unwrap(), plain);
}
