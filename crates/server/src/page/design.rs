//! The design system: every part in every state, so that a page is put together from parts that exist.

use super::{Nav, Shell, Visitor, errors::PageResult, icon, marks::Icon, shell::paged, show};
use crate::state::App;
use askama::Template;
use axum::{Router, extract::State, routing::get};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/ui/design", get(design))
}

const ICONS: &str = include_str!("../../assets/icons.svg");

/// Colours by the name of their token, with what they are for.
const COLOURS: [(&str, &str); 19] = [
    ("--desk", "behind everything"),
    ("--paper", "sheets and cards"),
    ("--sunk", "group rows, code"),
    ("--hover", "hover, quiet badges"),
    ("--line", "dividers"),
    ("--line2", "buttons, strong dividers"),
    ("--edge", "borders of fields, 3:1"),
    ("--ink", "text"),
    ("--ink2", "secondary, 7:1"),
    ("--ink3", "tertiary, 4.5:1"),
    ("--accent", "links, focus, charts"),
    ("--fill", "primary button"),
    ("--soft", "selected"),
    ("--ok", "available"),
    ("--warn", "unavailable, warn"),
    ("--block", "invalid, block"),
    ("--wait", "pending"),
    ("--add", "added line"),
    ("--del", "removed line"),
];

#[derive(Template)]
#[template(path = "design.html")]
struct DesignPage {
    shell: Shell,
    icons: Vec<(&'static str, Icon)>,
    colours: [(&'static str, &'static str); 19],
}

paged!(DesignPage);

/// The names of the drawings, in the order of their file.
fn icon_names() -> impl Iterator<Item = &'static str> {
    ICONS.split("id=\"i-").skip(1).filter_map(|rest| rest.split_once('"')).map(|(name, _)| name)
}

async fn design(State(app): State<App>, visitor: Visitor) -> PageResult {
    let page = DesignPage {
        shell: Shell::of(&app, &visitor, "Design system", Nav::Other).await?,
        icons: icon_names().map(|name| (name, icon(name))).collect(),
        colours: COLOURS,
    };
    show(&page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_of_the_page_is_in_the_style_and_every_drawing_is_shown_once() {
        let style = include_str!("../../assets/style.css");
        for (token, _) in COLOURS {
            assert!(style.contains(&format!("{token}:light-dark(")), "{token}");
        }
        let names: std::collections::BTreeSet<&str> = icon_names().collect();
        assert_eq!(names.len(), ICONS.matches("<symbol ").count());
        assert!(names.contains("mark") && names.contains("ok"), "{names:?}");
    }
}
