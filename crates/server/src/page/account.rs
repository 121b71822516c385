//! The account: setting up each agent, tokens, sessions, the keyboard.

use super::{
    Nav, Posted, Shell, Visitor,
    deeds::told,
    errors::PageResult,
    flash::Flash,
    marks::{Mark, Markup},
    shell::{go, paged, show_as},
    show,
    visitor::KEYS,
    words,
};
use crate::{
    caller::{COOKIE, cookie},
    extract::Ids,
    state::App,
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    routing::{get, post},
};
use secrecy::ExposeSecret as _;
use skillful_team::{
    GroupRole, TeamError, TokenScope,
    credentials::{SessionInfo, TokenInfo, TokenInput},
};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/account", get(account))
        .route("/ui/account/tokens", post(create_token))
        .route("/ui/account/tokens/{id}/revoke", post(revoke_token))
        .route("/ui/account/sessions/{id}/end", post(end_session))
        .route("/ui/account/keys", post(set_keys))
}

/// How one agent is connected.
pub(crate) struct AgentSetup {
    id: &'static str,
    /// Uses that this agent reported in 30 days.
    uses: i64,
    letters: &'static str,
    name: &'static str,
    place: &'static str,
    command: &'static str,
    lines: String,
}

pub(crate) struct TokenRow {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) may: String,
    pub(crate) bound: String,
    pub(crate) used: Markup,
    pub(crate) ends: Markup,
    pub(crate) ends_soon: bool,
}

struct SessionRow {
    id: String,
    mark: Mark,
    words: Markup,
    is_this: bool,
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    shell: Shell,
    lead: String,
    address: String,
    agents: Vec<AgentSetup>,
    tokens: Vec<TokenRow>,
    sessions: Vec<SessionRow>,
    scopes: Vec<(&'static str, &'static str, bool)>,
    bounds: Vec<(String, String)>,
    /// A token that was just made; the only time that its secret is shown.
    secret: Option<(String, String)>,
}

paged!(AccountPage);

/// What a scope allows, in words.
pub(crate) fn scope_word(scope: TokenScope) -> &'static str {
    match scope {
        TokenScope::SkillsRead => "read skills",
        TokenScope::SkillsWrite => "write skills",
        TokenScope::Publish => "add versions in one place",
        TokenScope::Review => "review",
        TokenScope::Usage => "report and read usage",
        TokenScope::Audit => "read the audit log",
        TokenScope::Admin => "administer",
    }
}

/// A token as a row.
pub(crate) fn token_row(token: &TokenInfo, now: i64) -> TokenRow {
    TokenRow {
        id: token.id.clone(),
        name: token.name.clone(),
        may: token.scopes.iter().map(|scope| scope_word(*scope)).collect::<Vec<_>>().join(", "),
        bound: token.bound.clone(),
        used: token.used.map_or_else(|| Markup("never".to_owned()), |used| words::time(used, now)),
        ends: words::date_time(token.expires),
        ends_soon: token.expires - now < 7 * 24 * 3_600 * 1_000,
    }
}

/// The lines of each agent. The program on the user's machine signs in once; an agent then asks it.
fn agents(address: &str) -> Vec<AgentSetup> {
    let http = format!("{address}/mcp");
    let setup = |id, letters, name, place, command, lines: &str| AgentSetup {
        id,
        uses: 0,
        letters,
        name,
        place,
        command,
        lines: lines.to_owned(),
    };
    vec![
        setup(
            "claude-code",
            "Cc",
            "Claude Code",
            "a shell",
            "skillful mcp install --agent claude-code",
            "claude mcp add skillful -- skillful mcp",
        ),
        setup(
            "codex",
            "Cx",
            "Codex",
            "~/.codex/config.toml",
            "skillful mcp install --agent codex",
            "[mcp_servers.skillful]\ncommand = \"skillful\"\nargs = [\"mcp\"]",
        ),
        setup(
            "opencode",
            "Oc",
            "OpenCode",
            "opencode.json",
            "skillful mcp install --agent opencode",
            "{ \"mcp\": { \"skillful\": { \"type\": \"local\",\n  \"command\": [\"skillful\", \"mcp\"] } } }",
        ),
        setup(
            "gemini-cli",
            "Ge",
            "Gemini CLI",
            "~/.gemini/settings.json",
            "skillful mcp install --agent gemini-cli",
            "{ \"mcpServers\": { \"skillful\": {\n  \"command\": \"skillful\", \"args\": [\"mcp\"] } } }",
        ),
        setup(
            "cursor",
            "Cu",
            "Cursor",
            "~/.cursor/mcp.json",
            "skillful mcp install --agent cursor",
            "{ \"mcpServers\": { \"skillful\": {\n  \"command\": \"skillful\", \"args\": [\"mcp\"] } } }",
        ),
        setup("", "Ht", "Any agent over HTTP", "its MCP settings, with a token as bearer", "", &http),
    ]
}

async fn page(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    secret: Option<(String, String)>,
) -> Result<AccountPage, TeamError> {
    let (team, actor) = (&app.team, &visitor.actor);
    let shell = Shell::of(app, visitor, "Account", Nav::Account).await?;
    let session = cookie(headers, COOKIE).unwrap_or_default();
    let groups = team.groups(actor).await?;
    let mine: Vec<String> = groups
        .iter()
        .filter_map(|group| {
            let role = actor.groups.get(&group.id)?;
            Some(if *role == GroupRole::Owner {
                format!("{} (owner)", group.name)
            } else {
                group.name.clone()
            })
        })
        .collect();
    let used = team.usage(actor, 30, false).await?.agents;
    let signed = if visitor.user.issuer == "local" {
        "Signed in with a one-time link."
    } else {
        "Signed in with single sign-on."
    };
    let member = if mine.is_empty() {
        "Member of no group.".to_owned()
    } else {
        format!("Member of {}.", mine.join(", "))
    };
    let mut bounds = vec![
        (String::new(), "Everywhere you may".to_owned()),
        ("own".to_owned(), "Only your own skills".to_owned()),
    ];
    bounds.extend(
        groups
            .iter()
            .filter(|group| actor.groups.contains_key(&group.id))
            .map(|group| (format!("group:{}", group.id), format!("Only {}", group.name))),
    );
    bounds.push(("org".to_owned(), "Only the organisation".to_owned()));
    let tokens = team.tokens(actor).await?;
    Ok(AccountPage {
        lead: format!("{} {signed} {member}", shell.name.clone() + "."),
        address: app.address().to_owned(),
        agents: agents(app.address())
            .into_iter()
            .map(|setup| AgentSetup {
                uses: used.iter().find(|one| one.agent == setup.id).map_or(0, |one| one.uses),
                ..setup
            })
            .collect(),
        tokens: tokens
            .iter()
            .filter(|token| !token.is_revoked && token.expires > shell.now)
            .map(|token| token_row(token, shell.now))
            .collect(),
        sessions: team
            .sessions(actor, &session)
            .await?
            .iter()
            .map(|one| session_row(one, shell.now))
            .collect(),
        scopes: TokenScope::ALL
            .iter()
            .map(|scope| {
                (
                    scope.word(),
                    scope_word(*scope),
                    matches!(scope, TokenScope::SkillsRead | TokenScope::Usage),
                )
            })
            .collect(),
        bounds,
        secret,
        shell,
    })
}

fn session_row(session: &SessionInfo, now: i64) -> SessionRow {
    let mark = if session.is_this {
        Mark::new("ok", "ok", "This browser")
    } else {
        Mark::new("", "machine", "Another browser")
    };
    let words = if session.is_this {
        Markup(format!("signed in {}", words::time(session.created, now)))
    } else {
        Markup(format!("last seen {}", words::time(session.seen, now)))
    };
    SessionRow { id: session.id.clone(), mark, words, is_this: session.is_this }
}

async fn account(State(app): State<App>, visitor: Visitor, headers: HeaderMap) -> PageResult {
    show(&page(&app, &visitor, &headers, None).await?)
}

/// The secret is on the answer of the form and nowhere else: not in a cookie, an address or a log.
async fn create_token(
    State(app): State<App>,
    headers: HeaderMap,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let scopes = fields.all("scope").map(str::parse).collect::<Result<_, TeamError>>()?;
    let input = TokenInput {
        name: fields.trimmed("name").to_owned(),
        scopes,
        days: fields.number("days")?,
        bound: fields.text("bound").to_owned(),
    };
    match app.team.create_token(&visitor.actor, &input).await {
        Ok((token, secret)) => {
            let shown = Some((token.name, secret.expose_secret().to_owned()));
            let visitor = Visitor { here: "/ui/account".to_owned(), ..visitor };
            show_as(StatusCode::CREATED, &page(&app, &visitor, &headers, shown).await?)
        }
        other => told("/ui/account#tokens", other, |_| Flash::default()),
    }
}

async fn revoke_token(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let done = app.team.revoke_token(&visitor.actor, &id).await;
    told(fields.back("/ui/account"), done, |()| {
        Flash::done("The token is revoked. Programs that use it are refused from now on.")
    })
}

async fn end_session(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, .. }: Posted,
) -> PageResult {
    let done = app.team.end_session_by_id(&visitor.actor, &id).await;
    told("/ui/account", done, |()| Flash::done("The other browser is signed out."))
}

async fn set_keys(State(app): State<App>, Posted { fields, .. }: Posted) -> PageResult {
    let is_on = fields.text("keys") != "off";
    let text = if is_on {
        "Single letters are shortcuts again."
    } else {
        "Single letters are off. Ctrl K still searches."
    };
    let mut response = go("/ui/account", &Flash::done(text));
    let kept = format!(
        "{KEYS}={}; Path=/; SameSite=Lax; Max-Age=31536000{}",
        if is_on { "on" } else { "off" },
        app.secure()
    );
    if let Ok(kept) = HeaderValue::from_str(&kept) {
        response.headers_mut().append(header::SET_COOKIE, kept);
    }
    Ok(response)
}
