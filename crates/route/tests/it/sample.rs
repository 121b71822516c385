//! A small set of skills, written by hand.

use skillful_route::ranking::{Index, Skill};

/// Name, description, body.
pub(crate) const SKILLS: &[(&str, &str, &str)] = &[
    (
        "pdf-forms",
        "Fill in and flatten PDF forms. Use when a form has to be completed.",
        "# PDF forms\nRead the fields with pypdf, write the values.",
    ),
    (
        "docx-reports",
        "Write Word documents with headings and tables of contents.",
        "# Reports\nUse python-docx. Styles, headers, footers.",
    ),
    (
        "kubernetes-deploy",
        "Deploy services to a Kubernetes cluster and roll them back.",
        "# Deploying\nApply the manifests with kubectl, watch the rollout, undo a bad release.",
    ),
    (
        "git-bisect",
        "Find the commit that broke a test. Do not use for merge conflicts.",
        "# Bisecting\nMark good and bad revisions until one is left.",
    ),
    (
        "flight-search",
        "Search for cheap flights and compare airlines.",
        "# Flights\nAsk for the dates and airports, then compare fares.",
    ),
    (
        "sql-tuning",
        "Make slow PostgreSQL queries fast with indexes and plans.",
        "# Tuning\nRead EXPLAIN ANALYZE, add composite indexes, avoid sequential scans.",
    ),
];

/// More of them, for tests of the ranking alone.
const FURTHER: &[(&str, &str, &str)] = &[
    (
        "golang-errors",
        "Idiomatic error handling in Go: wrapping, sentinel errors, errors.Is.",
        "# Errors\nWrap with fmt.Errorf and %w.",
    ),
    ("wechat-articles", "把文章排版成微信公众号格式并发布", "# 步骤\n先写标题,再上传图片,最后发布到公众号。"),
    (
        "unit-tests",
        "Write unit tests with good assertions and fixtures.",
        "# Testing\nArrange, act, assert. Keep fixtures small.",
    ),
    (
        "OpenTelemetryTracing",
        "Add distributed tracing spans to a service.",
        "# Tracing\nUse the TracerProvider and export spans.",
    ),
];

pub(crate) fn skills() -> Vec<Skill<'static>> {
    let skill = |&(name, description, body): &(&'static str, &'static str, &'static str)| Skill {
        id: name,
        name,
        description,
        body,
        ..Skill::default()
    };
    SKILLS.iter().chain(FURTHER).map(skill).collect()
}

pub(crate) fn index() -> Index {
    Index::build(&skills(), 2)
}

pub(crate) fn first(index: &Index, query: &str) -> String {
    index.search(query, 1).first().map(|hit| hit.id.clone()).unwrap_or_default()
}
