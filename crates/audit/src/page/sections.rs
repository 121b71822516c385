//! Judges each section of a page as a whole: programs that the user is asked to download and run, settings that are
//! to be written, images that carry secrets.

use super::{Looker, SECTION, orders};
use crate::{lines, prose, rule::Rule, user_download};

impl Looker<'_, '_> {
    pub(super) fn sections(&mut self, start: usize) {
        let page = self.page;
        let plain = self.text.plain;
        let first = page.sections.first().map_or(plain.len(), |section| section.range.start);
        let mut ranges = vec![(start..first, false)];
        for (at, section) in page.sections.iter().enumerate() {
            // Includes the subsections.
            let inside = page.sections[at + 1..].iter().take_while(|next| {
                let mut above = next.above;
                while let Some(index) = above {
                    if index == at {
                        return true;
                    }
                    above = page.sections.get(index).and_then(|section| section.above);
                }
                false
            });
            let end = inside
                .last()
                .map_or(section.range.end, |last| last.range.end)
                .min(section.range.start + SECTION)
                .max(section.range.end.min(section.range.start + SECTION));
            // A warning inside such a section does not lower the severity; only a page about
            // attacks shows such sections as examples.
            let about = prose::is_about_attacks(self.slice(&section.title));
            ranges.push((section.range.start..lines::floor(plain, end), about));
        }
        for (range, about) in ranges {
            let range = range.start..lines::floor(plain, range.end.min(range.start + SECTION));
            for (rule, severity, found) in orders::look(self.slice(&range), self.file.purpose) {
                let severity = if about { severity.lower() } else { severity };
                let at = range.start + found.start..range.start + found.end;
                self.file.emit(self.text, rule, severity, &at);
            }
            let Some((found, severity)) = user_download::look(self.slice(&range)) else { continue };
            let severity = if about { severity.shown() } else { severity };
            let line = plain[..range.start + found.start].rfind('\n').map_or(0, |at| at + 1);
            let end = plain[range.start + found.start..]
                .find('\n')
                .map_or(plain.len(), |end| range.start + found.start + end);
            self.file.emit(self.text, Rule::HumanRun, severity, &(line.max(range.start)..end));
        }
    }
}
