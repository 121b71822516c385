//! Which skills apply to a turn: rules, mentions, what stays selected, companions, exclusions.
//!
//! Pure and deterministic. Everything that was considered is in the result with its reasons: what
//! was selected, what is on the menu, what a gate refused, what another skill excluded.

pub use crate::access::Asker;
use crate::{
    access::{Admitted, Way, admit, is_meant, is_open},
    mention::{self, Mention, MentionForm, MentionMeaning, ResolvedMention},
    turn::{Turn, extension},
};
use globset::Glob;
use serde::Serialize;
use skillful_catalog::{
    Catalog, Entry,
    gate::{Reason, Verdict, words_for_a_model},
};
use std::collections::{BTreeMap, BTreeSet};

/// Why a skill was selected. The order is the order of priority.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case", tag = "rule")]
pub enum SelectionReason {
    /// The message names it.
    Mention {
        /// How.
        form: MentionForm,
    },
    /// It applies to every turn.
    AlwaysInclude,
    /// It applies to this kind of turn.
    SourceType {
        /// Which kind.
        source: String,
    },
    /// It applies to an attached file.
    FileType {
        /// The ending.
        ending: String,
    },
    /// It applies to a touched file.
    Path {
        /// The pattern that matched.
        glob: String,
    },
    /// It stayed selected from an earlier turn.
    Sticky,
    /// The router, asked to decide, is sure of it.
    Routed,
    /// It is a companion of a selected skill.
    Companion {
        /// Which skill.
        of: String,
    },
}

impl std::fmt::Display for SelectionReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mention { .. } => f.write_str("mention"),
            Self::AlwaysInclude => f.write_str("always_include"),
            Self::SourceType { source } => write!(f, "source_type={source}"),
            Self::FileType { ending } => write!(f, "file_type={ending}"),
            Self::Path { glob } => write!(f, "path={glob}"),
            Self::Sticky => f.write_str("sticky"),
            Self::Routed => f.write_str("routed"),
            Self::Companion { of } => write!(f, "companion of {of}"),
        }
    }
}

/// A skill whose instructions the turn gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The gate's proof, which activation requires.
    pub proof: Admitted,
    /// Every rule that fired, the strongest first.
    pub why: Vec<SelectionReason>,
}

impl Selected {
    /// Index into the catalog.
    pub fn entry(&self) -> usize {
        self.proof.entry()
    }

    /// Whether it is here only because an earlier turn used it.
    pub fn only_stays(&self) -> bool {
        self.why.iter().all(|why| *why == SelectionReason::Sticky)
    }
}

/// A skill that a rule or a mention asked for and a gate refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Index into the catalog.
    pub entry: usize,
    /// What asked for it.
    pub why: Vec<SelectionReason>,
    /// The decision of the gate.
    pub verdict: Verdict,
}

/// A companion that did not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingCompanion {
    /// The skill that wanted it.
    pub of: String,
    /// Its name.
    pub name: String,
    /// Why not; empty when there is no such skill.
    pub reasons: Vec<Reason>,
}

impl MissingCompanion {
    /// Why it did not come, in words that a model may read.
    pub fn words(&self) -> String {
        if self.reasons.is_empty() {
            return "there is no such skill".to_owned();
        }
        words_for_a_model(&self.reasons)
    }
}

/// What a turn gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// With their instructions: by name.
    pub selected: Vec<Selected>,
    /// By name and description only: by name.
    pub menu: Vec<usize>,
    /// Asked for and refused.
    pub refused: Vec<Refused>,
    /// Asked for and excluded by a selected skill: the excluded and the excluder.
    pub excluded: Vec<(usize, usize)>,
    /// Companions that did not come.
    pub missing: Vec<MissingCompanion>,
    /// What the mentions of the message mean.
    pub mentions: Vec<ResolvedMention>,
    /// What selected skills ask the agent to omit from the prompt.
    pub omit: PromptOmissions,
}

/// Parts of the prompt that selected skills ask to omit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PromptOmissions {
    /// The memory.
    pub memory: bool,
    /// The persona.
    pub persona: bool,
    /// The resources.
    pub resources: bool,
}

impl PromptOmissions {
    /// The parts by their names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [("memory", self.memory), ("persona", self.persona), ("resources", self.resources)];
        all.into_iter().filter(|(_, omitted)| *omitted).map(|(name, _)| name)
    }
}

/// Selects the skills for a turn.
pub fn select(catalog: &Catalog, turn: &Turn, asker: Asker<'_>) -> Selection {
    select_among(catalog, turn, asker, &listed(catalog, turn, asker))
}

/// The same for a caller that has the list of [`listed`] already: the gate is asked once about each skill of it.
pub fn select_among(catalog: &Catalog, turn: &Turn, asker: Asker<'_>, listed: &[usize]) -> Selection {
    let mut selection = Selection::default();
    let asked = asked_for(catalog, turn, asker, &mut selection);
    let mut roots: Vec<Selected> = Vec::new();
    for (entry, why) in asked {
        match admit(catalog, entry, asker, way(entry, &why, &selection.mentions)) {
            Ok(proof) => roots.push(Selected { proof, why }),
            Err(verdict) => selection.refused.push(Refused { entry, why, verdict }),
        }
    }
    roots.sort_by(|a, b| (a.why.first(), a.entry()).cmp(&(b.why.first(), b.entry())));
    let (roots, excluded) = exclude(catalog, roots);
    selection.excluded = excluded;
    selection.selected = roots;
    add_companions(catalog, asker, &mut selection);
    let mentioned: Vec<usize> = selection.mentions.iter().filter_map(|one| one.meaning.skill()).collect();
    let place = |entry: usize| mentioned.iter().position(|at| *at == entry).unwrap_or(usize::MAX);
    // What the user names comes in the order of their words, and the rest by name.
    let key = |entry: usize| (place(entry), catalog.entries[entry].address());
    selection.selected.sort_by_cached_key(|chosen| key(chosen.entry()));
    selection.menu = menu(catalog, listed, &selection);
    for chosen in &selection.selected {
        let manifest = &catalog.entries[chosen.entry()].loaded.manifest;
        selection.omit.memory |= manifest.exclude_memory;
        selection.omit.persona |= manifest.exclude_persona;
        selection.omit.resources |= manifest.exclude_resources;
    }
    selection
}

/// The way to a skill that several things ask for: a mention by the user comes first.
fn way(entry: usize, why: &[SelectionReason], mentions: &[ResolvedMention]) -> Way {
    let mention = mentions.iter().find(|resolved| resolved.meaning == MentionMeaning::Skill(entry));
    match (mention, why.first()) {
        (Some(resolved), _) => resolved.mention.way(),
        (None, Some(SelectionReason::Sticky)) => Way::Sticky,
        (None, Some(SelectionReason::Routed)) => Way::Route,
        (None, _) => Way::Select,
    }
}

/// Every skill that a mention or a rule asks for, with all of them.
fn asked_for(
    catalog: &Catalog,
    turn: &Turn,
    asker: Asker<'_>,
    selection: &mut Selection,
) -> BTreeMap<usize, Vec<SelectionReason>> {
    let mut asked: BTreeMap<usize, Vec<SelectionReason>> = BTreeMap::new();
    let connectors: Vec<&str> = turn.connectors.iter().map(String::as_str).collect();
    let mut mentions: Vec<Mention> = turn.given.iter().map(|path| Mention::given(path)).collect();
    mentions.extend(mention::parse(&turn.message).list);
    selection.mentions = mention::resolve(&mentions, catalog, asker, &turn.folder, &connectors);
    for resolved in &selection.mentions {
        if let MentionMeaning::Skill(entry) = resolved.meaning {
            asked.entry(entry).or_default().push(SelectionReason::Mention { form: resolved.mention.form });
        }
    }
    let endings: BTreeSet<String> = turn.attachments.iter().filter_map(|file| extension(file)).collect();
    let sticky = turn.sticky();
    for (at, entry) in catalog.entries.iter().enumerate().filter(|(at, _)| is_meant(catalog, *at, asker)) {
        let mut why = rules(entry, turn, &endings);
        // Most turns have neither, and an address is made anew each time.
        if !sticky.is_empty() || turn.routed.is_some() {
            let address = entry.address();
            // A sub-agent ends with its answer; the next message does not start it again.
            let stays = !entry.loaded.manifest.always_include && !entry.loaded.manifest.context_fork;
            if stays && sticky.contains(&address.as_str()) {
                why.push(SelectionReason::Sticky);
            }
            if turn.routed.as_ref() == Some(&address) {
                why.push(SelectionReason::Routed);
            }
        }
        if !why.is_empty() {
            asked.entry(at).or_default().extend(why);
        }
    }
    for why in asked.values_mut() {
        why.sort();
        why.dedup();
    }
    asked
}

fn rules(entry: &Entry, turn: &Turn, endings: &BTreeSet<String>) -> Vec<SelectionReason> {
    let manifest = &entry.loaded.manifest;
    let mut why = Vec::new();
    if manifest.always_include {
        why.push(SelectionReason::AlwaysInclude);
    }
    if let Some(source) = &turn.source_type
        && manifest.source_types.contains(source)
    {
        why.push(SelectionReason::SourceType { source: source.clone() });
    }
    for kind in &manifest.file_types {
        let ending = kind.trim_start_matches('.').to_lowercase();
        if endings.contains(&ending) {
            why.push(SelectionReason::FileType { ending });
        }
    }
    for glob in &manifest.paths {
        // An invalid pattern matches nothing; the check of the skill reports it.
        let Ok(matcher) = Glob::new(glob).map(|glob| glob.compile_matcher()) else { continue };
        if turn.touched.iter().any(|file| matcher.is_match(file)) {
            why.push(SelectionReason::Path { glob: glob.clone() });
        }
    }
    why
}

/// Applies `exclude_skills`. Of two that exclude one another the stronger stays; a companion of a
/// skill that stays is never dropped.
fn exclude(catalog: &Catalog, roots: Vec<Selected>) -> (Vec<Selected>, Vec<(usize, usize)>) {
    let excludes = |by: usize, whom: usize| {
        let target = catalog.entries[whom].address();
        by != whom && catalog.entries[by].loaded.manifest.exclude_skills.contains(&target)
    };
    let mut gone: BTreeMap<usize, usize> = BTreeMap::new();
    loop {
        let staying: Vec<usize> =
            roots.iter().map(Selected::entry).filter(|entry| !gone.contains_key(entry)).collect();
        let protected: BTreeSet<&String> = staying
            .iter()
            .flat_map(|entry| &catalog.entries[*entry].loaded.manifest.companion_skills)
            .collect();
        let next = staying.iter().enumerate().find_map(|(rank, by)| {
            let victim = staying.iter().enumerate().find(|(other, whom)| {
                let mutual_and_stronger = *other < rank && excludes(**whom, *by);
                excludes(*by, **whom)
                    && !mutual_and_stronger
                    && !protected.contains(&catalog.entries[**whom].address())
            })?;
            Some((*victim.1, *by))
        });
        match next {
            Some((whom, by)) => gone.insert(whom, by),
            None => break,
        };
    }
    let (out, staying): (Vec<Selected>, Vec<Selected>) =
        roots.into_iter().partition(|root| gone.contains_key(&root.entry()));
    (staying, out.iter().map(|root| (root.entry(), gone[&root.entry()])).collect())
}

/// Adds the companions of every selected skill, one level deep.
fn add_companions(catalog: &Catalog, asker: Asker<'_>, selection: &mut Selection) {
    let roots: Vec<usize> = selection.selected.iter().map(Selected::entry).collect();
    for root in roots {
        let of = catalog.entries[root].address();
        for name in &catalog.entries[root].loaded.manifest.companion_skills {
            let found = catalog.called(name).map(|(at, _)| at).find(|at| is_meant(catalog, *at, asker));
            let Some(at) = found else {
                let missing = MissingCompanion { of: of.clone(), name: name.clone(), reasons: Vec::new() };
                selection.missing.push(missing);
                continue;
            };
            let proof = match admit(catalog, at, asker, Way::Companion) {
                Ok(proof) => proof,
                Err(Verdict { reasons, .. }) => {
                    selection.missing.push(MissingCompanion { of: of.clone(), name: name.clone(), reasons });
                    continue;
                }
            };
            let why = SelectionReason::Companion { of: of.clone() };
            match selection.selected.iter_mut().find(|chosen| chosen.entry() == at) {
                Some(chosen) => chosen.why.push(why),
                None => selection.selected.push(Selected { proof, why: vec![why] }),
            }
        }
    }
}

/// Everything that a model may choose, by name, whatever the message selects.
pub fn listed(catalog: &Catalog, turn: &Turn, asker: Asker<'_>) -> Vec<usize> {
    let mut open: Vec<usize> = catalog
        .entries
        .iter()
        .enumerate()
        .filter(|(at, entry)| {
            let kinds = &entry.loaded.manifest.resource_types;
            let has_kind = |have: &Vec<String>| kinds.iter().any(|kind| have.contains(kind));
            is_meant(catalog, *at, asker)
                && !entry.loaded.manifest.always_include
                && (kinds.is_empty() || turn.resources.as_ref().is_none_or(has_kind))
        })
        .map(|(at, _)| at)
        .filter(|at| is_open(catalog, *at, asker, Way::Menu))
        .collect();
    open.sort_by_cached_key(|at| catalog.entries[*at].address());
    open
}

/// What is left of a list without the selected skills and those that they exclude.
fn menu(catalog: &Catalog, listed: &[usize], selection: &Selection) -> Vec<usize> {
    let selected: BTreeSet<usize> = selection.selected.iter().map(Selected::entry).collect();
    let excluded: BTreeSet<&String> =
        selected.iter().flat_map(|at| &catalog.entries[*at].loaded.manifest.exclude_skills).collect();
    let is_excluded = |at: usize| !excluded.is_empty() && excluded.contains(&catalog.entries[at].address());
    listed.iter().copied().filter(|at| !selected.contains(at) && !is_excluded(*at)).collect()
}

impl Selection {
    /// The skills to remember for the next turn: selected by a rule or a mention, not companions.
    pub fn roots(&self, catalog: &Catalog) -> Vec<String> {
        let own = |chosen: &&Selected| {
            chosen
                .why
                .iter()
                .any(|why| !matches!(why, SelectionReason::Companion { .. } | SelectionReason::AlwaysInclude))
        };
        self.selected.iter().filter(own).map(|chosen| catalog.entries[chosen.entry()].address()).collect()
    }

    /// The line that Istota logs: `count=2: files(always_include), markets(source_type=briefing)`.
    pub fn log_line(&self, catalog: &Catalog) -> String {
        let parts: Vec<String> = self
            .selected
            .iter()
            .map(|chosen| {
                let why = chosen.why.first().map_or_else(String::new, ToString::to_string);
                format!("{}({why})", catalog.entries[chosen.entry()].address())
            })
            .collect();
        format!("count={}: {}", parts.len(), parts.join(", "))
    }

    /// The second line that Istota logs: `eager=2 menu=5`. Its word for a selected skill is `eager`.
    pub fn count_line(&self) -> String {
        format!("eager={} menu={}", self.selected.len(), self.menu.len())
    }
}

#[cfg(test)]
mod tests;
