use crate::sample::{first, index, skills};
use skillful_route::ranking::{Index, QUERY_LIMIT, Route, Settings, Skill, WordPlace};
use skillful_testkit::cpu_time;
use std::time::Duration;

#[test]
fn the_skill_that_is_about_the_request_comes_first() {
    let index = index();
    for (query, wanted) in [
        ("complete this tax form in pdf", "pdf-forms"),
        ("our postgres query is slow, which indexes do we need?", "sql-tuning"),
        ("which commit broke the build", "git-bisect"),
        ("compare airlines for a trip to Lisbon", "flight-search"),
        ("wrapping errors in Go the idiomatic way", "golang-errors"),
        ("undo a bad release on the cluster", "kubernetes-deploy"),
    ] {
        assert_eq!(first(&index, query), wanted, "{query}");
    }
}

#[test]
fn words_of_the_body_are_found() {
    assert_eq!(first(&index(), "kubectl apply the manifests"), "kubernetes-deploy");
}

#[test]
fn other_forms_of_a_word_are_found() {
    assert_eq!(first(&index(), "deployed deploying deployment"), "kubernetes-deploy");
}

#[test]
fn scripts_without_spaces_are_found_by_character_pairs() {
    let index = index();
    assert_eq!(first(&index, "帮我把这篇文章发布到公众号"), "wechat-articles");
    assert_eq!(first(&index, "微信排版"), "wechat-articles");
}

/// Many public skills are described in Chinese, and their users write English, or the other way round.
#[test]
fn common_chinese_words_and_english_ones_find_each_other() {
    let skill = |id, description| Skill { id, name: id, description, ..Skill::default() };
    let skills = [
        skill("a", "为订阅商店分析客户流失率。"),
        skill("b", "Scans a server for open ports."),
        skill("c", "翻译小说。"),
    ];
    let index = Index::build(&skills, 1);
    assert_eq!(first(&index, "why do subscriptions churn in our shop?"), "a");
    assert_eq!(first(&index, "扫描我的服务器"), "b");
}

#[test]
fn camel_case_is_found_whole_and_in_parts() {
    let index = index();
    assert_eq!(first(&index, "opentelemetrytracing"), "OpenTelemetryTracing");
    assert_eq!(first(&index, "set up telemetry"), "OpenTelemetryTracing");
    assert_eq!(first(&index, "TracerProvider"), "OpenTelemetryTracing");
}

#[test]
fn the_plural_of_an_acronym_is_one_word() {
    let skill = |id, description| Skill { id, name: id, description, ..Skill::default() };
    let index = Index::build(&[skill("a", "Fills PDF forms."), skill("b", "Sorts a pd and an fs.")], 1);
    let hit = &index.search("my PDFs", 1)[0];
    assert_eq!(hit.id, "a");
    assert_eq!(hit.why.iter().map(|reason| reason.word.as_str()).collect::<Vec<_>>(), ["pdfs"]);
}

#[test]
fn abbreviations_and_names_with_signs_are_found() {
    let index = index();
    assert_eq!(first(&index, "k8s rollout"), "kubernetes-deploy");
    let languages = ["C++", "C#", ".NET", "Go"].map(|name| (name, format!("Build libraries in {name} 12.")));
    let skills: Vec<Skill<'_>> = languages
        .iter()
        .map(|(name, description)| Skill { id: name, name: "build", description, ..Skill::default() })
        .collect();
    let index = Index::build(&skills, 1);
    for (name, _) in &languages {
        assert_eq!(first(&index, &format!("a library written in {name}")), *name);
    }
}

#[test]
fn a_clause_that_excludes_a_use_is_not_indexed() {
    let hits = index().search("resolve merge conflicts", 5);
    assert!(hits.iter().all(|hit| hit.id != "git-bisect"), "{hits:?}");
}

#[test]
fn triggers_and_when_to_use_are_read() {
    let triggers = ["sourdough".to_owned()];
    let skills = [
        Skill { id: "a", name: "bread", description: "Bake.", triggers: &triggers, ..Skill::default() },
        Skill {
            id: "b",
            name: "cake",
            description: "Bake.",
            when_to_use: "for birthdays",
            ..Skill::default()
        },
    ];
    let index = Index::build(&skills, 1);
    assert_eq!(first(&index, "birthday"), "b");
    assert_eq!(first(&index, "sourdough"), "a");
}

#[test]
fn a_hit_lists_the_matched_words_and_their_places() {
    let hits = index().search("complete a pdf with pypdf", 1);
    let why: Vec<_> = hits[0].why.iter().map(|reason| (reason.word.as_str(), reason.place)).collect();
    assert!(why.contains(&("pdf", WordPlace::Name)), "{why:?}");
    assert!(why.contains(&("pypdf", WordPlace::Body)), "{why:?}");
}

#[test]
fn small_talk_is_routed_to_no_skill() {
    let index = index();
    for message in
        ["hi", "", "?", "thanks, that was perfect", "how are you today?", "I felt so proud of my team"]
    {
        assert_eq!(index.route(message, &Settings::default()), Route::None, "{message}");
    }
}

#[test]
fn a_clear_request_is_activated_and_thresholds_are_honoured() {
    let index = index();
    let request =
        "deploy the payments service to our kubernetes cluster and roll it back if the rollout fails";
    let Route::Activate(hit) = index.route(request, &Settings::default()) else { panic!("not activated") };
    assert_eq!(hit.id, "kubernetes-deploy");
    let never = Settings { skip_threshold: 1.1, top_k: 2, ..Settings::default() };
    let Route::Suggest(hits) = index.route(request, &never) else { panic!("not suggested") };
    assert_eq!(hits[0].id, "kubernetes-deploy");
    assert!(hits.len() <= 2);
    let closed = Settings { min_served: 1.1, ..Settings::default() };
    assert_eq!(index.route(request, &closed), Route::None);
}

#[test]
fn probabilities_fall_with_rank_and_sum_to_one_at_most() {
    let hits = index().search("write unit tests for the service and deploy it", 10);
    assert!(hits.is_sorted_by(|a, b| a.probability >= b.probability));
    assert!(hits.iter().map(|hit| hit.probability).sum::<f32>() <= 1.001);
}

#[test]
fn equal_skills_are_sorted_by_name_then_id() {
    let twin = |id, name| Skill { id, name, description: "Knit socks.", ..Skill::default() };
    let index = Index::build(&[twin("2", "b"), twin("3", "a"), twin("1", "b")], 1);
    let ids: Vec<String> = index.search("knit socks", 3).into_iter().map(|hit| hit.id).collect();
    assert_eq!(ids, ["3", "1", "2"]);
}

#[test]
fn order_and_threads_do_not_matter() {
    let mut reversed = skills();
    reversed.reverse();
    let (one, other) = (Index::build(&skills(), 1), Index::build(&reversed, 4));
    assert_eq!(one.to_bytes(1), other.to_bytes(3));
    assert_eq!(one.search("tests for a pdf service", 10), other.search("tests for a pdf service", 10));
}

#[test]
fn an_empty_index_finds_nothing() {
    let index = Index::build(&[], 2);
    assert!(index.is_empty());
    assert_eq!(index.route("deploy to kubernetes", &Settings::default()), Route::None);
}

#[test]
fn only_the_start_of_a_long_request_is_read() {
    let index = index();
    for part in ["deploy kubernetes ", "部署", "aB", "...", "é ", "a'b"] {
        let long = part.repeat(1_000_000 / part.len());
        let (took, _) = cpu_time(|| index.search(&long, 5));
        assert!(took < Duration::from_secs(2), "{part} took {took:?}");
        let cut = &long[..long.floor_char_boundary(QUERY_LIMIT)];
        assert_eq!(index.search(&long, 5), index.search(cut, 5));
    }
}

fn office() -> Index {
    let skill = |id, description| Skill { id, name: id, description, ..Skill::default() };
    Index::build(
        &[
            skill("slide-maker", "Build a presentation with speaker notes."),
            skill("invoice-writer", "Draft invoices and payment reminders."),
            skill("meeting-minutes", "整理会议记录并生成待办事项"),
        ],
        1,
    )
}

/// Codex test 68: a word form, a typo and a script without spaces.
#[test]
fn word_forms_typos_and_chinese_rank_the_right_skill() {
    let index = office();
    for (query, wanted) in [
        ("presentation", "slide-maker"),
        ("presentations", "slide-maker"),
        ("presentaton", "slide-maker"),
        ("a presnetation about bees", "slide-maker"),
        ("invoicces for march", "invoice-writer"),
        ("会议记录", "meeting-minutes"),
        ("帮我整理会议待办", "meeting-minutes"),
    ] {
        assert_eq!(first(&index, query), wanted, "{query}");
    }
}

/// Codex test 70.
#[test]
fn stop_words_only_give_an_empty_result() {
    for query in
        ["the and of", "can you help me with this please", "我的 这个", "", "...", "I would like to do that"]
    {
        assert!(office().search(query, 5).is_empty(), "{query}");
    }
}

#[test]
fn a_word_that_is_common_in_public_skills_is_not_a_typo() {
    assert!(office().search("marching", 5).is_empty());
    assert!(office().search("notify", 5).is_empty(), "notes");
}

#[test]
fn a_short_request_passes_the_gate_of_a_small_library() {
    let skill = |id, description, body| Skill { id, name: id, description, body, ..Skill::default() };
    let index = Index::build(
        &[
            skill(
                "code-review",
                "Review pull requests for bugs and style.",
                "Read the diff. List the problems.",
            ),
            skill("release-notes", "Write release notes from commits.", "Group the commits by topic."),
            skill("invoice", "Create an invoice as a PDF.", "Ask for the customer and the items."),
            skill("standup", "Summarise what was done yesterday.", "Read the git log of a day."),
        ],
        1,
    );
    for (message, wanted) in [
        ("review my pull request", "code-review"),
        ("write the release notes", "release-notes"),
        ("create an invoice for Acme", "invoice"),
    ] {
        let judged = index.judge(message, 1);
        assert_eq!(judged.hits[0].id, wanted, "{message}");
        assert!(judged.served >= Settings::default().min_served, "{message}: {}", judged.served);
    }
    for message in ["the pull request got two approvals", "thanks, the invoice was paid", "what a release!"] {
        assert!(index.judge(message, 1).served < 0.15, "{message}");
    }
}

#[test]
fn farewells_stories_and_questions_of_fact_are_routed_to_no_skill() {
    let index = index();
    for message in [
        "never mind the pdf form, we filled it in by hand",
        "yesterday my sister told me about the kubernetes cluster at her work",
        "is it true that the first unit test was written by hand?",
        "谢谢，文章已经发布到公众号了",
        "danke, die postgres datenbank ist wieder schnell",
    ] {
        assert_eq!(index.route(message, &Settings::default()), Route::None, "{message}");
    }
    let story_and_request =
        "my deploy to kubernetes failed yesterday, roll the cluster back to the release before";
    assert_ne!(
        index.route(story_and_request, &Settings::default()),
        Route::None,
        "a message that tells a story may still be a request"
    );
}
