//! Webhooks of the organisation and their deliveries.

use super::{
    Nav, Posted, Shell, Visitor,
    address::{Address, Pager, page_number},
    admin::{AdminTab, ROWS, SEARCHED_FROM, Tab, has_words, tabs},
    deeds::told,
    errors::PageResult,
    flash::{Flash, Undo},
    marks::{Mark, Markup},
    shell::{paged, show_as},
    show,
    sources::SettingsAddress,
    words,
};
use crate::{
    extract::{Ids, Params},
    state::App,
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::StatusCode,
    routing::{get, post},
};
use skillful_team::{
    TeamError,
    permission::{OrgDeed, may_org},
    webhooks::{Delivery, KINDS, Webhook, WebhookInput},
};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/admin/webhooks", get(webhooks).post(create))
        .route("/ui/admin/webhooks/{id}", get(webhook).post(change))
        .route("/ui/admin/webhooks/{id}/delete", post(delete))
        .route("/ui/admin/webhooks/{id}/deliveries/{which}", post(redeliver))
}

const WEBHOOKS: &str = "/ui/admin/webhooks";

struct WebhookRow {
    id: String,
    address: String,
    kinds: String,
    state: Mark,
    error: String,
    enabled: bool,
}

#[derive(Template)]
#[template(path = "admin_webhooks.html")]
struct WebhooksPage {
    shell: Shell,
    tabs: Vec<AdminTab>,
    here: Address,
    rows: Vec<WebhookRow>,
    pager: Pager,
    is_searched: bool,
    kinds: &'static [&'static str],
    secret: Option<(String, String)>,
    may_change: bool,
}

#[derive(Template)]
#[template(path = "admin_webhook.html")]
struct WebhookPage {
    shell: Shell,
    tabs: Vec<AdminTab>,
    row: WebhookRow,
    deliveries: Vec<DeliveryRow>,
    may_change: bool,
}

struct DeliveryRow {
    id: String,
    seq: String,
    kind: String,
    state: Mark,
    attempts: i64,
    answer: String,
    created: Markup,
    can_repeat: bool,
}

paged!(WebhooksPage, WebhookPage);

fn row(webhook: &Webhook) -> WebhookRow {
    let state = match (webhook.enabled, webhook.failures) {
        (false, 0) => Mark::new("off", "off", "Disabled"),
        (false, _) => Mark::new("block", "block", "Disabled after failures"),
        (true, 0) => Mark::new("ok", "ok", "Delivers"),
        (true, failures) => Mark::new("warn", "warn", format!("{failures} failed in a row")),
    };
    WebhookRow {
        id: webhook.id.clone(),
        address: webhook.address.clone(),
        kinds: if webhook.kinds.is_empty() {
            "everything".to_owned()
        } else {
            webhook.kinds.iter().cloned().collect::<Vec<_>>().join(", ")
        },
        state,
        error: webhook.error.clone(),
        enabled: webhook.enabled,
    }
}

fn may_change(visitor: &Visitor) -> bool {
    may_org(&visitor.actor, OrgDeed::ChangeSettings, &visitor.actor.org).is_ok()
}

async fn page(
    app: &App,
    visitor: &Visitor,
    asked: SettingsAddress,
    secret: Option<(String, String)>,
) -> Result<WebhooksPage, TeamError> {
    let all = app.team.webhooks(&visitor.actor).await?;
    let query = asked.q.unwrap_or_default();
    let number = page_number(asked.page.as_deref());
    let here = Address::of(WEBHOOKS).with("q", &query);
    let found: Vec<WebhookRow> = all
        .iter()
        .map(row)
        .filter(|one| has_words(&format!("{} {} {}", one.address, one.kinds, one.error), &query))
        .collect();
    let total = found.len();
    let rows: Vec<WebhookRow> = found.into_iter().skip((number - 1) * ROWS).take(ROWS).collect();
    Ok(WebhooksPage {
        shell: Shell::of(app, visitor, "Webhooks", Nav::Admin).await?,
        tabs: tabs(app, visitor, Tab::Webhooks).await?,
        pager: Pager::of(&here, number, ROWS, rows.len(), total),
        is_searched: all.len() > SEARCHED_FROM,
        rows,
        here,
        kinds: KINDS,
        may_change: may_change(visitor),
        secret,
    })
}

async fn webhooks(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<SettingsAddress>,
) -> PageResult {
    show(&page(&app, &visitor, asked, None).await?)
}

/// The secret is on the answer of the form and nowhere else.
async fn create(State(app): State<App>, Posted { visitor, fields }: Posted) -> PageResult {
    let input = WebhookInput {
        address: fields.trimmed("address").to_owned(),
        kinds: fields.all("kind").map(str::to_owned).collect(),
        enabled: true,
    };
    match app.team.create_webhook(&visitor.actor, &input).await {
        Ok(made) => {
            let visitor = Visitor { here: WEBHOOKS.to_owned(), ..visitor };
            show_as(
                StatusCode::CREATED,
                &page(&app, &visitor, SettingsAddress::default(), Some((made.webhook.address, made.secret)))
                    .await?,
            )
        }
        other => told(WEBHOOKS, other, |_| Flash::default()),
    }
}

async fn webhook(State(app): State<App>, visitor: Visitor, Ids(id): Ids<String>) -> PageResult {
    let one = app.team.webhook(&visitor.actor, &id).await?;
    let deliveries = app.team.deliveries(&visitor.actor, &id).await?;
    let shell = Shell::of(&app, &visitor, "Webhook", Nav::Admin).await?;
    let page = WebhookPage {
        row: row(&one),
        deliveries: deliveries.iter().map(|delivery| delivery_row(delivery, shell.now)).collect(),
        may_change: may_change(&visitor),
        tabs: tabs(&app, &visitor, Tab::Webhooks).await?,
        shell,
    };
    show(&page)
}

fn delivery_row(delivery: &Delivery, now: i64) -> DeliveryRow {
    let state = match delivery.state.as_str() {
        "delivered" => Mark::new("ok", "ok", "Delivered"),
        "failed" => Mark::new("block", "block", "Failed"),
        _ => Mark::new("wait", "clock", "Waiting"),
    };
    DeliveryRow {
        id: delivery.id.clone(),
        seq: words::number(delivery.seq),
        kind: delivery.kind.clone(),
        attempts: delivery.attempts,
        answer: match (delivery.status, delivery.error.as_str()) {
            (Some(status), "") => status.to_string(),
            (Some(status), error) => format!("{status}, {error}"),
            (None, error) => error.to_owned(),
        },
        created: words::time(delivery.created, now),
        can_repeat: delivery.state != "waiting",
        state,
    }
}

async fn change(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let before = app.team.webhook(&visitor.actor, &id).await?;
    let enabled = fields.text("enabled") == "true";
    let input = WebhookInput { address: before.address, kinds: before.kinds, enabled };
    let done = app.team.change_webhook(&visitor.actor, &id, &input).await;
    told(WEBHOOKS, done, |_| {
        let undo =
            Undo::of(format!("{WEBHOOKS}/{id}"), &[("enabled", if enabled { "false" } else { "true" })]);
        Flash::done(if enabled { "The webhook delivers again." } else { "The webhook is disabled." })
            .with_undo(undo)
    })
}

async fn delete(State(app): State<App>, Ids(id): Ids<String>, Posted { visitor, .. }: Posted) -> PageResult {
    let done = app.team.delete_webhook(&visitor.actor, &id).await;
    told(WEBHOOKS, done, |()| Flash::done("The webhook and its log are removed."))
}

async fn redeliver(
    State(app): State<App>,
    Ids((id, which)): Ids<(String, String)>,
    Posted { visitor, .. }: Posted,
) -> PageResult {
    let done = app.team.redeliver(&visitor.actor, &id, &which).await;
    told(&format!("{WEBHOOKS}/{id}"), done, |_| Flash::done("It is sent again, with the same id and body."))
}
