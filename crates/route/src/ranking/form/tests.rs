use super::{Form, objects};

#[test]
fn the_object_of_an_order_ends_at_a_preposition_or_a_relative_clause() {
    for (message, object) in [
        ("Please draw a map of the office for visitors", "map"),
        ("can you look over the lease contract before Friday?", "lease contract"),
        ("write up what the plumber said", ""),
        ("I need a floor plan for the kitchen", "floor plan"),
        ("build me a birdhouse that keeps cats out, then paint the fence", "birdhouse fence"),
        ("The kitchen was painted in May.", ""),
    ] {
        assert_eq!(objects(message).trim(), object, "{message}");
    }
}

#[test]
fn a_question_about_a_concept_asks_for_an_explanation() {
    for message in [
        "explain how tides work",
        "tell me what a sonnet is",
        "what is a lease?",
        "what's wrong? describe when it rains",
    ] {
        assert!(Form::of(message).explains, "{message}");
    }
    for message in ["what is my rent this month?", "explain the lease to the tenant", "describe the house"] {
        assert!(!Form::of(message).explains, "{message}");
    }
}

#[test]
fn orders_and_questions_of_other_languages_are_requests() {
    for message in [
        "repara la bicicleta de montaña",
        "repariere bitte das Fahrrad",
        "répare mon vélo",
        "conserta minha bicicleta",
        "почини мою машину",
        "¿cómo arreglo mi bicicleta?",
        "wie bekomme ich mein Fahrrad trocken?",
        "修复自行车的刹车",
        "自転車を直してください",
        "자전거를 고쳐 주세요",
    ] {
        assert!(Form::of(message).is_request(), "{message}");
    }
}

#[test]
fn statements_and_praise_are_not_requests() {
    for message in
        ["unser Fahrrad steht im Keller", "mon vélo est bleu depuis dix ans", "nuestra bici pesa poco"]
    {
        let form = Form::of(message);
        assert!(!form.is_request() && form.statement, "{message}");
    }
    let praise = Form::of("excellent ride along the coast");
    assert!(!praise.is_request() && praise.thanks);
    assert!(Form::of("old bicycles rarely rust in Madrid").statement);
}
