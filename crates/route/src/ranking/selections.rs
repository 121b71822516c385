//! Measures what was selected for judged requests, by a router or by a model.

use super::evalset::Case;
use std::collections::BTreeMap;

/// Figures about selections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selections {
    /// Skills that were selected.
    pub selected: usize,
    /// The share of the selected skills that are right. None when nothing was selected.
    pub precision: Option<f64>,
    /// The share of the requests that some skill serves for which a right one was selected. None without such requests.
    pub recall: Option<f64>,
    /// Requests that name a skill that must not be selected, and how many got it.
    pub near_misses: (usize, usize),
    /// Requests that no skill serves, and how many got one.
    pub no_skill: (usize, usize),
    /// The wanted skill, the skill selected instead, and how often; most frequent first.
    pub confused: Vec<(String, String, usize)>,
}

/// The figures of the skills that were selected for `cases`, in the same order.
pub fn selections(cases: &[Case], selected: &[Vec<String>]) -> Selections {
    let mut figures = Selections::default();
    let mut confused: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut right, mut served, mut reached) = (0, 0, 0);
    for (case, selected) in cases.iter().zip(selected) {
        figures.selected += selected.len();
        right += selected.iter().filter(|skill| case.accepts(skill)).count();
        if let Some(wanted) = case.relevant.first() {
            served += 1;
            if selected.iter().any(|skill| case.accepts(skill)) {
                reached += 1;
            } else if let Some(instead) = selected.first() {
                *confused.entry((wanted, instead)).or_default() += 1;
            }
        } else if case.refused.is_empty() {
            figures.no_skill.0 += 1;
            figures.no_skill.1 += usize::from(!selected.is_empty());
        }
        if !case.refused.is_empty() {
            figures.near_misses.0 += 1;
            figures.near_misses.1 += usize::from(selected.iter().any(|skill| case.refused.contains(skill)));
        }
    }
    figures.precision = share(right, figures.selected);
    figures.recall = share(reached, served);
    let named = confused.into_iter().map(|((wanted, found), times)| (wanted.into(), found.into(), times));
    figures.confused = named.collect();
    figures.confused.sort_by_key(|(_, _, times)| std::cmp::Reverse(*times));
    figures
}

fn share(part: usize, of: usize) -> Option<f64> {
    let whole = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (of > 0).then(|| whole(part) / whole(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(relevant: &[&str], refused: &[&str]) -> Case {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Case {
            id: String::new(),
            query: String::new(),
            relevant: owned(relevant),
            accept: Vec::new(),
            refused: owned(refused),
            source: String::new(),
            expectations: Vec::new(),
        }
    }

    #[test]
    fn selections_are_counted_against_what_the_requests_want() {
        let cases = [
            case(&["pdf"], &[]),
            case(&["pdf"], &[]),
            case(&["doc"], &[]),
            case(&[], &["pdf"]),
            case(&[], &[]),
        ];
        let selected = [&["pdf"][..], &["doc"], &[], &["pdf"], &["doc"]];
        let selected = selected.map(|names| names.iter().map(|&name| name.to_owned()).collect());
        let figures = selections(&cases, &selected);
        assert_eq!(figures.selected, 4);
        assert_eq!(figures.precision, Some(0.25));
        assert_eq!(figures.recall, Some(1.0 / 3.0));
        assert_eq!((figures.near_misses, figures.no_skill), ((1, 1), (1, 1)));
        assert_eq!(figures.confused, [("pdf".to_owned(), "doc".to_owned(), 1)]);
        assert_eq!(selections(&[], &[]), Selections::default());
    }
}
