//! Sign-in of a program that has no browser (RFC 8628): two endpoints for the program, and the page on which its user
//! confirms the code. The page works without script.

use crate::{
    caller::in_session,
    extract::Params,
    page::{PlainPage, escaped},
    problem::{ApiError, detail},
    state::App,
};
use axum::{
    Json, Router,
    body::to_bytes,
    extract::{ConnectInfo, Form, FromRequest, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use skillful_team::{
    Actor, TeamError, TokenScope,
    device::{DeviceAnswer, DeviceRequest, INTERVAL, SECONDS},
};
use std::{collections::BTreeSet, fmt::Write as _, net::SocketAddr, time::Duration};
use utoipa::ToSchema;

/// The grant of RFC 8628.
const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// What a client may do that asks for nothing else: read skills and report usage.
const SCOPES: &str = "skills:read usage";

/// The routes of the page.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/device", get(page).post(decide))
}

/// What a program asks for.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub(crate) struct CodeForm {
    /// The program: `skillful`.
    #[serde(default)]
    client_id: String,
    /// Scopes of the token, separated by blanks; `skills:read usage` without it.
    scope: Option<String>,
    /// The name of the machine.
    device_name: Option<String>,
    /// How many days the token lasts, 1 to 366; 90 without it.
    days: Option<i64>,
}

/// The codes of a sign-in.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Codes {
    /// The secret of the program.
    device_code: String,
    /// The code that the user confirms.
    user_code: String,
    /// The page that asks for the code.
    verification_uri: String,
    /// The same page with the code.
    verification_uri_complete: String,
    /// Seconds until the code is over.
    expires_in: i64,
    /// Seconds between two questions.
    interval: i64,
}

/// A program asks for its token.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub(crate) struct TokenForm {
    /// `urn:ietf:params:oauth:grant-type:device_code`.
    #[serde(default)]
    grant_type: String,
    /// The secret of the program.
    #[serde(default)]
    device_code: String,
}

/// A token for a program.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Granted {
    /// The token.
    access_token: String,
    /// `Bearer`.
    token_type: String,
    /// Seconds until it ends.
    expires_in: i64,
    /// Its scopes, separated by blanks.
    scope: String,
    /// Its id, with which the user revokes it.
    token_id: String,
}

/// Why a program gets no token, in the words of RFC 6749 and RFC 8628.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Refused {
    /// A stable word: `authorization_pending`, `slow_down`, `access_denied`, `expired_token`, `invalid_request` and others.
    error: String,
    /// What and why.
    error_description: String,
}

fn refused(status: StatusCode, error: &str, why: &str) -> Response {
    (status, Json(Refused { error: error.to_owned(), error_description: why.to_owned() })).into_response()
}

/// Errors of the team in the shape of these endpoints, with the headers and the line of the log that every error has.
fn failed(error: TeamError) -> Response {
    let word = match &error {
        TeamError::Invalid { .. } => "invalid_request",
        TeamError::TooMany(_) => "slow_down",
        TeamError::Unavailable(_) => "temporarily_unavailable",
        // The user who confirmed it may not have it any more: suspended, or with too many tokens.
        TeamError::Unauthenticated(_) | TeamError::Forbidden(_) | TeamError::TooLarge(_) => "access_denied",
        _ => "server_error",
    };
    let text = detail(&error);
    let problem = ApiError(error).into_response();
    let status = if word == "access_denied" { StatusCode::BAD_REQUEST } else { problem.status() };
    let mut response = refused(status, word, &text);
    if let Some(wait) = problem.headers().get(header::RETRY_AFTER) {
        response.headers_mut().insert(header::RETRY_AFTER, wait.clone());
    }
    response
}

/// An error in the shape of these endpoints, for their paths.
pub(crate) fn refusal(path: &str, error: &TeamError) -> Option<Response> {
    path.starts_with("/api/v1/device/").then(|| failed(error.clone()))
}

/// Bytes of a form of a program that signs in.
const FORM: usize = 64 << 10;

async fn form<T: DeserializeOwned>(request: Request) -> Result<T, Response> {
    let wrong = |why: &str| refused(StatusCode::BAD_REQUEST, "invalid_request", why);
    // These routes need no credential, so that little is read.
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, FORM).await.map_err(|_| wrong("the form is too large or was cut off"))?;
    match Form::<T>::from_request(Request::from_parts(parts, bytes.into()), &()).await {
        Ok(Form(form)) => Ok(form),
        Err(error) => Err(wrong(&error.body_text())),
    }
}

fn late(wait: Duration) -> ApiError {
    ApiError(TeamError::TooMany(format!("too many codes; wait {} s", wait.as_secs() + 1)))
}

fn scopes(text: &str) -> Result<BTreeSet<TokenScope>, TeamError> {
    text.split_whitespace().map(str::parse).collect()
}

/// Begins the sign-in of a program.
#[utoipa::path(post, path = "/api/v1/device/code", tag = "account", security(()),
    request_body(content = CodeForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = Codes), (status = "4XX", body = Refused), (status = "5XX", body = Refused)))]
pub(crate) async fn code(State(app): State<App>, request: Request) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let peer = app.proxies.counted(peer, request.headers());
    if let Err(wait) = app.limits.check_device(peer) {
        let mut response = failed(late(wait).0);
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
        return response;
    }
    let asked: CodeForm = match form(request).await {
        Ok(asked) => asked,
        Err(response) => return response,
    };
    let wanted = match scopes(asked.scope.as_deref().unwrap_or(SCOPES)) {
        Ok(wanted) => wanted,
        Err(error) => return refused(StatusCode::BAD_REQUEST, "invalid_scope", &error.to_string()),
    };
    let name = asked.device_name.unwrap_or_else(|| asked.client_id.chars().take(60).collect());
    let name = if name.trim().is_empty() { "a program".to_owned() } else { name };
    let wanted = DeviceRequest { name, scopes: wanted, days: asked.days.unwrap_or(90) };
    match app.team.begin_device(&wanted).await {
        Ok(codes) => Json(Codes {
            device_code: codes.device.expose_secret().to_owned(),
            verification_uri: format!("{}/device", app.address),
            verification_uri_complete: format!("{}/device?user_code={}", app.address, codes.code),
            user_code: codes.code,
            expires_in: SECONDS,
            interval: INTERVAL,
        })
        .into_response(),
        Err(error) => failed(error),
    }
}

/// Gives a program its token when the user confirmed its code.
#[utoipa::path(post, path = "/api/v1/device/token", tag = "account", security(()),
    request_body(content = TokenForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = Granted), (status = "4XX", body = Refused), (status = "5XX", body = Refused)))]
pub(crate) async fn token(State(app): State<App>, request: Request) -> Response {
    let asked: TokenForm = match form(request).await {
        Ok(asked) => asked,
        Err(response) => return response,
    };
    let bad = |error: &str, why: &str| refused(StatusCode::BAD_REQUEST, error, why);
    if asked.grant_type != GRANT {
        return bad("unsupported_grant_type", &format!("the grant is {GRANT}"));
    }
    if asked.device_code.is_empty() {
        return bad("invalid_request", "the device code is missing");
    }
    match app.team.ask_device(&asked.device_code).await {
        Ok(DeviceAnswer::Pending) => bad("authorization_pending", "the user has not confirmed the code yet"),
        Ok(DeviceAnswer::TooFast) => bad("slow_down", "ask less often"),
        Ok(DeviceAnswer::Denied) => bad("access_denied", "the user refused the code"),
        Ok(DeviceAnswer::Over) => bad("expired_token", "the code was used or has expired; begin again"),
        Ok(DeviceAnswer::Granted(info, secret)) => {
            let words: Vec<&str> = info.scopes.iter().map(|scope| scope.word()).collect();
            Json(Granted {
                access_token: secret.expose_secret().to_owned(),
                token_type: "Bearer".to_owned(),
                expires_in: (info.expires - app.team.now()) / 1_000,
                scope: words.join(" "),
                token_id: info.id,
            })
            .into_response()
        }
        Err(error) => failed(error),
    }
}

/// The code in the address of the page.
#[derive(Deserialize)]
pub(crate) struct CodeQuery {
    user_code: Option<String>,
}

/// What the user decided on the page.
#[derive(Deserialize)]
struct Decision {
    user_code: String,
    decision: String,
}

/// A page in the frame of the web page.
fn html(title: &'static str, body: &str) -> PlainPage {
    crate::page::plain(title, body)
}

/// The letters and hyphens of a code, so that nothing else comes into an address.
fn code_text(code: &str) -> String {
    code.chars().filter(|c| c.is_ascii_alphabetic() || *c == '-').take(12).collect()
}

/// The user of a browser, from its session alone: a token confirms nothing on a page.
async fn visitor(method: &Method, headers: &HeaderMap, app: &App) -> Result<Option<Actor>, TeamError> {
    match in_session(method, headers, app).await {
        Ok(actor) => Ok(actor),
        Err(TeamError::Unauthenticated(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn sign_in_first(app: &App, code: &str) -> Response {
    let way = if app.oidc.is_some() {
        let next =
            if code.is_empty() { "/device".to_owned() } else { format!("/device%3Fuser_code%3D{code}") };
        format!("<p><a class=\"btn pri\" href=\"/ui/sign-in?next={next}\">Sign in</a></p>")
    } else {
        "<p>Sign in to this server in this browser, then open this address again.</p>".to_owned()
    };
    let page = html("Sign in first", &format!("<p>A program asks to use this server for you.</p>{way}"));
    (StatusCode::UNAUTHORIZED, page).into_response()
}

fn ask_for_code(note: &str) -> String {
    format!(
        "{note}<form class=\"stack\" method=\"get\" action=\"/device\"><div class=\"field\"><label for=\"user_code\">Code that the program shows</label> \
         <div class=\"row nw\"><input class=\"in mono\" id=\"user_code\" name=\"user_code\" autocomplete=\"off\" required maxlength=\"12\"> \
         <button class=\"btn pri\">Continue</button></div></div></form>"
    )
}

async fn page(
    State(app): State<App>,
    headers: HeaderMap,
    Params(query): Params<CodeQuery>,
) -> Result<Response, ApiError> {
    let code = code_text(query.user_code.as_deref().unwrap_or_default());
    let Some(actor) = visitor(&Method::GET, &headers, &app).await? else {
        return Ok(sign_in_first(&app, &code));
    };
    if code.is_empty() {
        return Ok(html("Sign in a program", &ask_for_code("")).into_response());
    }
    app.limits.check_code(actor.label()).map_err(late)?;
    let Some(request) = app.team.device_request(&actor, &code).await? else {
        let note = "<p class=\"err\" role=\"alert\">This code was used, has expired, or is mistyped.</p>";
        return Ok((StatusCode::NOT_FOUND, html("Sign in a program", &ask_for_code(note))).into_response());
    };
    let mut body = format!(
        "<p>The program on <strong>{}</strong> asks to use this server for you. It shows the code \
         <strong>{}</strong>.</p><p>Confirm only if you started <code>skillful login</code> yourself and the codes are \
         equal. Another user who sends you a code would get your access.</p><ul class=\"stack tight sm\">",
        escaped(&request.name),
        escaped(&code.to_ascii_uppercase())
    );
    for scope in &request.scopes {
        let _infallible = write!(body, "<li><code>{scope}</code>: {}</li>", meaning(*scope));
    }
    let _infallible = write!(
        body,
        "</ul><p>The access ends after {} days. You can revoke the token at any time.</p><form method=\"post\" \
         action=\"/device\"><input type=\"hidden\" name=\"user_code\" value=\"{}\"> <p class=\"row\"><button class=\"btn pri\" name=\"decision\" \
         value=\"confirm\">Confirm</button> <button class=\"btn\" name=\"decision\" value=\"refuse\">Refuse</button></p></form>",
        request.days,
        escaped(&code)
    );
    Ok(html("Confirm a sign-in", &body).into_response())
}

fn meaning(scope: TokenScope) -> &'static str {
    match scope {
        TokenScope::SkillsRead => "read the skills that are yours",
        TokenScope::SkillsWrite => "create and change skills for you",
        TokenScope::Publish => "add versions of skills in one place",
        TokenScope::Review => "decide about proposals for you",
        TokenScope::Usage => "report how often skills are used",
        TokenScope::Audit => "read the audit log",
        TokenScope::Admin => "administer the organisation for you",
    }
}

async fn decide(State(app): State<App>, headers: HeaderMap, request: Request) -> Result<Response, ApiError> {
    let Some(actor) = visitor(&Method::POST, &headers, &app).await? else {
        return Ok(sign_in_first(&app, ""));
    };
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("application/x-www-form-urlencoded") {
        return Err(ApiError(TeamError::invalid("wrong-form", "send the form of the page")));
    }
    let Form(decision) = Form::<Decision>::from_request(request, &())
        .await
        .map_err(|error| ApiError(TeamError::invalid("wrong-form", error.body_text())))?;
    app.limits.check_code(actor.label()).map_err(late)?;
    let is_confirmed = match decision.decision.as_str() {
        "confirm" => true,
        "refuse" => false,
        _ => return Err(ApiError(TeamError::invalid("wrong-form", "the decision is `confirm` or `refuse`"))),
    };
    match app.team.decide_device(&actor, &decision.user_code, is_confirmed).await {
        Ok(request) if is_confirmed => Ok(html(
            "Signed in",
            &format!("<p>The program on {} goes on. You can close this page.</p>", escaped(&request.name)),
        )
        .into_response()),
        Ok(_) => Ok(html("Refused", "<p>The program gets no access.</p>").into_response()),
        Err(TeamError::Conflict { message, .. }) => {
            let note = format!("<p class=\"err\" role=\"alert\">{}</p>", escaped(&message));
            Ok((StatusCode::CONFLICT, html("Sign in a program", &ask_for_code(&note))).into_response())
        }
        Err(error) => Err(error.into()),
    }
}
