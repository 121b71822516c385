//! Forms that pages send: the session, the origin and the CSRF token are checked before a handler sees a field.

use super::{errors::PageError, visitor::Visitor};
use crate::{state::App, upload};
use axum::{
    body::Bytes,
    extract::{DefaultBodyLimit, FromRequest, Request},
};
use skillful_team::TeamError;

/// Bytes of a form without files.
pub(crate) const FORM_LIMIT: usize = 8 << 20;

/// The fields of a form, in the order in which they were sent; a name may come several times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(pub(crate) Vec<(String, String)>);

impl Fields {
    /// The first value of a name; empty when it was not sent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str())
    }

    /// The first value of a name without the spaces around it.
    pub(crate) fn trimmed(&self, name: &str) -> &str {
        self.text(name).trim()
    }

    /// Every value of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether a name was sent.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> Result<i64, TeamError> {
        let text = self.trimmed(name);
        text.parse().map_err(|_| TeamError::invalid("wrong-number", format!("`{text}` is not a number")))
    }

    /// The page to go back to: a path of ours, else the given one.
    pub(crate) fn back<'a>(&'a self, otherwise: &'a str) -> &'a str {
        let path = self.text("back");
        if is_own_path(path) { path } else { otherwise }
    }
}

/// Whether an address is a page of ours. `//host` and a backslash would leave the server; a browser drops tabs and line ends, and
/// resolves `..` before it follows a link; a sign-in or a one-time link is not a page to come back to.
pub(crate) fn is_own_path(path: &str) -> bool {
    let (before, _) = path.split_once(['?', '#']).unwrap_or((path, ""));
    let rest = before.strip_prefix("/ui").or_else(|| before.strip_prefix("/device"));
    let is_whole = |rest: &str| rest.is_empty() || rest.starts_with('/');
    let lower = before.to_ascii_lowercase().replace("%2e", ".");
    let climbs = lower.split(['/', '\\']).any(|part| part == ".." || part == ".");
    rest.is_some_and(is_whole)
        && !climbs
        && !before.contains("//")
        && !["/ui/sign-in", "/ui/open"].iter().any(|start| before.starts_with(start))
        && !path.contains('\\')
        && !path.chars().any(char::is_control)
}

/// A form of a signed-in visitor.
#[derive(Debug)]
pub(crate) struct Posted {
    /// Who sent it.
    pub(crate) visitor: Visitor,
    /// What was sent.
    pub(crate) fields: Fields,
}

impl FromRequest<App> for Posted {
    type Rejection = PageError;

    async fn from_request(request: Request, app: &App) -> Result<Self, PageError> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::of(&mut parts, app).await?;
        // The limit of the route counts as well.
        let bytes = Bytes::from_request(Request::from_parts(parts, body), app)
            .await
            .map_err(|_| TeamError::TooLarge("the form is too large or was cut off".to_owned()))?;
        let fields = Fields(url::form_urlencoded::parse(&bytes).into_owned().collect());
        visitor.check(fields.text("csrf"))?;
        Ok(Self { visitor, fields })
    }
}

/// A form with files of a signed-in visitor.
#[derive(Debug)]
pub(crate) struct PostedFiles {
    /// Who sent it.
    pub(crate) visitor: Visitor,
    /// What was sent.
    pub(crate) form: upload::Form,
}

impl FromRequest<App> for PostedFiles {
    type Rejection = PageError;

    async fn from_request(request: Request, app: &App) -> Result<Self, PageError> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::of(&mut parts, app).await?;
        let form = upload::form(Request::from_parts(parts, body)).await?;
        visitor.check(form.fields.get("csrf").map_or("", String::as_str))?;
        Ok(Self { visitor, form })
    }
}

/// The limit of forms without files.
pub(crate) fn limit() -> DefaultBodyLimit {
    DefaultBodyLimit::max(FORM_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_ours_is_a_page_to_go_back_to() {
        for path in [
            "/ui",
            "/ui/skills?q=a&page=2",
            "/ui/reviews/proposal_1?at=a%2F%2Fb#f0",
            "/ui/search?q=https://x",
            "/device?user_code=ABCD",
        ] {
            assert!(is_own_path(path), "{path}");
        }
        for path in [
            "",
            "/",
            "//evil.example",
            "/ui//evil.example",
            "/uix",
            "/ui.evil.example",
            "https://evil.example/ui",
            "javascript:alert(1)",
            "/ui\\evil.example",
            "/ui/\tx",
            "/ui/\u{0}x",
            "/ui/x\r\nset-cookie: a=b",
            "/ui/../api/v1/me/tokens",
            "/ui/%2e%2E/first/secret",
            "/ui/./x",
            "/ui/sign-in?next=/ui",
            "/ui/open/secret",
            "/api/v1/skills",
        ] {
            assert!(!is_own_path(path), "{path}");
        }
    }
}
