//! Small pictures of lists. Their numbers stand beside them as text.

use super::marks::{Markup, escaped};
use std::fmt::Write as _;

/// Values as a line of a width and a height, from the bottom up; points as SVG takes them.
pub(crate) fn points(values: &[i64], width: f64, height: f64, inset: f64) -> String {
    let most = values.iter().copied().max().unwrap_or(0).max(1);
    let last = values.len().saturating_sub(1).max(1);
    let mut out = String::new();
    for (at, value) in values.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a picture has a few hundred pixels")]
        let (part, whole) = (*value as f64 / most as f64, at as f64 / last as f64);
        let x = inset + whole * (width - 2.0 * inset);
        let y = height - inset - part * (height - 2.0 * inset);
        let _infallible = write!(out, "{}{x:.0},{y:.0}", if at == 0 { "" } else { " " });
    }
    out
}

/// Days summed into fewer points.
fn summed(days: &[i64], into: usize) -> Vec<i64> {
    let each = days.len().div_ceil(into.max(1)).max(1);
    days.chunks(each).map(|days| days.iter().sum()).collect()
}

/// A line of uses for a row of a list.
pub(crate) fn spark(days: &[i64]) -> Markup {
    let line = points(&summed(days, 10), 88.0, 22.0, 3.0);
    Markup(format!(
        "<svg class=\"spark\" viewBox=\"0 0 88 22\" aria-hidden=\"true\"><polyline points=\"{line}\"/></svg>"
    ))
}

/// A part of a whole as a bar; its number stands beside it.
pub(crate) fn part(value: i64, whole: i64) -> Markup {
    let width = value.saturating_mul(1_000) / whole.max(1);
    Markup(format!(
        "<svg class=\"mbar\" viewBox=\"0 0 1000 6\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"b0\" width=\"1000\" height=\"6\"/><rect class=\"b1\" width=\"{width}\" height=\"6\"/></svg>"
    ))
}

/// A bar with a part of it in another colour.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// The name of the bar.
    pub(crate) label: String,
    /// Its height.
    pub(crate) value: i64,
    /// The part of it.
    pub(crate) part: i64,
}

/// A round number at or above a value, so that lines of a chart have round labels.
fn round_up(value: i64) -> i64 {
    let mut step = 1;
    loop {
        for factor in [3, 6, 15] {
            if factor * step >= value {
                return factor * step;
            }
        }
        step *= 10;
    }
}

/// A chart of bars. Names of the bars are ours or escaped by the caller's table; here they are text.
pub(crate) fn bars(title: &str, bars: &[Bar]) -> Markup {
    const WIDTH: f64 = 1060.0;
    const LEFT: f64 = 44.0;
    const BOTTOM: f64 = 204.0;
    const HEIGHT: f64 = 196.0;
    let top = round_up(bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(3));
    #[expect(clippy::cast_precision_loss, reason = "a chart has a few hundred pixels")]
    let (y, each) = (
        |value: i64| BOTTOM - HEIGHT * (value as f64 / top as f64),
        (WIDTH - LEFT - 12.0) / bars.len().max(1) as f64,
    );
    let mut out = format!(
        "<svg class=\"pic wide\" viewBox=\"0 0 1060 230\" role=\"img\" aria-labelledby=\"chart-title\"><title id=\"chart-title\">{}</title>",
        escaped(title)
    );
    for line in 0..=3 {
        let value = top / 3 * line;
        let at = y(value);
        let _infallible = write!(
            out,
            "<line class=\"gl\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text x=\"36\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            at + 4.0,
            super::words::number(value)
        );
    }
    let names = bars.len().div_ceil(7).max(1);
    for (place, bar) in bars.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a chart has a few hundred bars")]
        let x = LEFT + each * place as f64 + each * 0.22;
        let width = (each * 0.56).max(1.0);
        let _infallible = write!(
            out,
            "<g><title>{}: {} uses, {} failed</title>",
            escaped(&bar.label),
            super::words::number(bar.value),
            super::words::number(bar.part)
        );
        for (class, value) in [("b1", bar.value), ("b2", bar.part)] {
            if value > 0 {
                let at = y(value);
                let _infallible = write!(
                    out,
                    "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{at:.1}\" width=\"{width:.1}\" height=\"{:.1}\" rx=\"{}\"/>",
                    BOTTOM - at,
                    if width > 6.0 && class == "b1" { 2 } else { 0 }
                );
            }
        }
        out.push_str("</g>");
        if place % names == 0 {
            let _infallible = write!(
                out,
                "<text x=\"{:.1}\" y=\"224\" text-anchor=\"middle\">{}</text>",
                x + width / 2.0,
                escaped(&bar.label)
            );
        }
    }
    out.push_str("</svg>");
    Markup(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_begins_at_the_left_and_its_highest_value_is_at_the_top() {
        assert_eq!(points(&[0, 5, 10], 100.0, 20.0, 0.0), "0,20 50,10 100,0");
        assert_eq!(points(&[], 100.0, 20.0, 0.0), "");
        assert_eq!(summed(&[1; 30], 10), [3; 10]);
    }

    #[test]
    fn a_chart_has_round_lines_and_each_bar_names_its_numbers() {
        assert_eq!([round_up(1), round_up(4), round_up(61), round_up(201)], [3, 6, 150, 300]);
        let made = bars("<t>", &[Bar { label: "1 Oct".to_owned(), value: 1_200, part: 7 }]).0;
        assert!(
            made.contains("<title>1 Oct: 1,200 uses, 7 failed</title>") && made.contains("&lt;t&gt;"),
            "{made}"
        );
        assert!(!made.contains("NaN") && !bars("none", &[]).0.contains("NaN"));
    }
}
