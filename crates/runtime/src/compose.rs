//! A turn, composed: which skills apply, and exactly what a model would read.

use crate::activation::{Activation, ActivationError, Engine, activate};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{AgentProfile, Catalog, Entry, profile::MenuStyle};
use skillful_render::{
    Budget, Menu, MenuItem, Unit, envelope,
    menu::{MenuOrder, ranked},
    news::{News, Seen},
};
use skillful_select::{
    access::{Admitted, Way, admit, is_open},
    mention,
    selection::{Selected, Selection, SelectionReason, listed, select_among},
    turn::Turn,
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

/// Bytes of a changelog that are read.
const CHANGELOG_LIMIT: usize = 16 << 10;
/// Skills that keep their descriptions before others are named at all.
const MOST_RELEVANT: usize = 20;
/// Skills that a message suggests.
const SUGGESTED: usize = 5;
/// Changelogs that a note shows.
const CHANGELOGS: usize = 5;

/// How a turn is composed.
pub struct Manner<'a> {
    /// The agent whose form of a menu counts; ours when none is given.
    pub agent: Option<&'a AgentProfile>,
    /// The budget of the menu.
    pub budget: Budget,
    /// What costs are counted in.
    pub unit: Unit,
    /// What the menu is for.
    pub menu: MenuFor,
    /// Orders skills by their worth for this turn, keeping the given order where it knows nothing.
    /// Asked only when the budget is too small.
    pub rank: &'a dyn Fn(&[usize]) -> Ranked,
    /// What this user saw last; `None` omits the note about changes.
    pub seen: Option<&'a Seen>,
    /// Whether the session already has these instructions of a skill: its address and the text.
    pub is_loaded: &'a dyn Fn(&str, &str) -> bool,
    /// Whether the session has the current text of a skill, with whatever arguments.
    pub holds: &'a dyn Fn(&Entry) -> bool,
    /// The menu of the session as it was written for an earlier turn.
    pub written: Option<&'a WrittenMenu>,
}

/// The menu of a session as it was written last. It is written again only when the skills or their form changed.
#[derive(Debug, Default)]
pub struct WrittenMenu(Mutex<Option<(MenuKey, Arc<Menu>)>>);

/// What the menu of a session is made from: the catalog by its number, the skills, the form.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MenuKey {
    catalog: u64,
    skills: Vec<usize>,
    style: MenuStyle,
    budget: Budget,
}

impl WrittenMenu {
    fn get(&self, key: MenuKey, write: impl FnOnce() -> Menu) -> Arc<Menu> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((of, menu)) if *of == key => Arc::clone(menu),
            _ => Arc::clone(&known.insert((key, Arc::new(write()))).1),
        }
    }
}

/// What a menu is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MenuFor {
    /// One message: without the selected skills, which come in full, and shortened by the worth for this message.
    #[default]
    Message,
    /// A session: the same bytes for every message while the skills are the same, so that the prompt caches of
    /// providers work. Descriptions that this shortens come behind the message where they matter to it.
    Session,
}

impl<'a> Manner<'a> {
    /// The form of an agent, or ours, with nothing known about the worth of skills or the past.
    pub fn plain(agent: Option<&'a AgentProfile>, budget: Budget) -> Self {
        let (menu, is_loaded) = (MenuFor::Message, &|_: &str, _: &str| false);
        Self {
            agent,
            budget,
            unit: Unit::EstimatedTokens,
            menu,
            rank: &Ranked::unknown,
            seen: None,
            is_loaded,
            holds: &|_| false,
            written: None,
        }
    }
}

/// Skills in the order of their worth for a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranked {
    /// All that were given.
    pub order: Vec<usize>,
    /// How many of the first the turn is about.
    pub relevant: usize,
}

impl Ranked {
    /// Skills as they come, of which nothing is known.
    pub fn unknown(skills: &[usize]) -> Self {
        Self { order: skills.to_vec(), relevant: 0 }
    }
}

/// The author of a part of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The program around the model.
    Developer,
    /// The user.
    User,
}

/// What a part of the context is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartKind {
    /// The skills to choose from.
    Menu,
    /// The message of the user.
    Message,
    /// What changed since their last turn.
    News,
    /// Descriptions of skills that may fit the message and that the menu shortens.
    Suggestions,
    /// The instructions of a skill.
    Skill,
    /// A note that the instructions of a skill are in the session already.
    LoadedSkill,
}

/// One part of what a model reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Part {
    /// Its author.
    pub role: Role,
    /// What it is.
    pub kind: PartKind,
    /// The skill it belongs to.
    pub name: Option<String>,
    /// The exact text.
    pub text: String,
    /// What it costs.
    pub tokens: usize,
}

/// A selected skill that could not be read. The others are not affected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unread {
    /// Its address.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// A turn, composed.
#[derive(Clone, Debug)]
pub struct Composition {
    /// Which skills apply, and why.
    pub selection: Selection,
    /// The menu, and what was shortened to fit its budget.
    pub disclosure: Arc<Menu>,
    /// What the model reads, in order.
    pub parts: Vec<Part>,
    /// What costs are counted in.
    pub unit: Unit,
    /// The selected skills, rendered, in the order of [`Selection::selected`].
    pub activations: Vec<Activation>,
    /// Skills that only stay selected and whose current text the session has, by address. They are not called again.
    pub staying: Vec<String>,
    /// Selected skills that could not be read.
    pub unread: Vec<Unread>,
    /// What changed since their last turn.
    pub news: Option<News>,
    /// What the user sees now; `None` when nothing was compared with it.
    pub seen: Option<Seen>,
    /// Skills that a model may know of, whatever the message. A skill that only users call is not among them, also
    /// when it is selected: calling it is not news.
    pub offered: Vec<usize>,
}

impl Composition {
    /// Everything the model reads, as one text.
    pub fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.trim_end().to_owned() + "\n").collect::<Vec<_>>().join("\n")
    }

    /// What it costs, in [`Composition::unit`].
    pub fn tokens(&self) -> usize {
        self.parts.iter().map(|part| part.tokens).sum()
    }
}

/// Composes a turn. Reads the bodies of the selected skills and runs nothing.
pub fn compose(engine: &Engine<'_>, turn: &Turn, manner: &Manner<'_>) -> Composition {
    let listed = listed(engine.catalog, turn, engine.asker);
    let selection = select_among(engine.catalog, turn, engine.asker, &listed);
    let menu = menu_of(manner, &selection, &listed);
    let disclosure = written(engine, turn, manner, menu);
    let offered = offered(engine, &listed, &selection);
    let seen = manner.seen.map(|before| (before, seen_of(engine.catalog, &offered)));
    let news = seen.as_ref().and_then(|(before, now)| News::between(before, now));
    let seen = seen.map(|(_, now)| now);
    let mut writing = Writing {
        engine,
        turn,
        manner,
        parts: Vec::new(),
        activations: Vec::new(),
        staying: Vec::new(),
        unread: Vec::new(),
    };
    writing.push(Role::Developer, PartKind::Menu, None, disclosure.text.clone());
    writing.push(Role::User, PartKind::Message, None, turn.message.clone());
    if let Some(news) = &news {
        writing.push(Role::Developer, PartKind::News, None, news.note(&changelogs(engine, news)));
    }
    if manner.menu == MenuFor::Session {
        let text = suggestions(engine, manner, menu, &disclosure, &selection);
        writing.push(Role::Developer, PartKind::Suggestions, None, text);
    }
    for chosen in &selection.selected {
        writing.skill(chosen, &selection);
    }
    let Writing { parts, activations, staying, unread, .. } = writing;
    Composition {
        selection,
        disclosure,
        parts,
        unit: manner.unit,
        activations,
        staying,
        unread,
        news,
        seen,
        offered,
    }
}

/// The menu alone.
pub fn disclose(engine: &Engine<'_>, turn: &Turn, manner: &Manner<'_>) -> Menu {
    let listed = listed(engine.catalog, turn, engine.asker);
    let selection = select_among(engine.catalog, turn, engine.asker, &listed);
    Arc::unwrap_or_clone(written(engine, turn, manner, menu_of(manner, &selection, &listed)))
}

/// The skills of the menu.
fn menu_of<'s>(manner: &Manner<'_>, selection: &'s Selection, listed: &'s [usize]) -> &'s [usize] {
    match manner.menu {
        MenuFor::Message => &selection.menu,
        MenuFor::Session => listed,
    }
}

/// The skills that may fit the message, of those that the menu of the session shortens.
fn suggestions(
    engine: &Engine<'_>,
    manner: &Manner<'_>,
    menu: &[usize],
    disclosure: &Menu,
    selection: &Selection,
) -> String {
    if disclosure.losses.is_empty() {
        return String::new();
    }
    // Losses are sorted by name.
    let is_lost =
        |name: &str| disclosure.losses.binary_search_by(|loss| loss.name.as_str().cmp(name)).is_ok();
    let worth = (manner.rank)(menu);
    let items = worth.order.iter().take(worth.relevant.min(SUGGESTED)).filter_map(|at| {
        let is_selected = selection.selected.iter().any(|chosen| chosen.entry() == *at);
        let item = item(&engine.catalog.entries[*at]);
        (!is_selected && is_lost(&item.name)).then_some(item)
    });
    skillful_render::menu::suggestions(&items.collect::<Vec<_>>(), manner.budget.description)
}

/// The menu, ranked only when it must be shortened.
fn written(engine: &Engine<'_>, turn: &Turn, manner: &Manner<'_>, menu: &[usize]) -> Arc<Menu> {
    let entries = &engine.catalog.entries;
    let style = manner.agent.map_or(MenuStyle::Xml, |agent| agent.menu.style);
    let items = || -> Vec<MenuItem> { menu.iter().map(|at| item(&entries[*at])).collect() };
    if manner.menu == MenuFor::Session {
        let write = || skillful_render::menu::menu(&items(), style, manner.budget);
        let Some(known) = manner.written else { return Arc::new(write()) };
        let (catalog, skills) = (engine.catalog.id(), menu.to_vec());
        return known.get(MenuKey { catalog, skills, style, budget: manner.budget }, write);
    }
    let shortened = ranked(&items(), style, manner.budget, &|| {
        let used: BTreeSet<&str> =
            turn.past.iter().flat_map(|past| &past.roots).map(String::as_str).collect();
        let mut by_use = menu.to_vec();
        by_use.sort_by_key(|at| !used.contains(entries[*at].address().as_str()));
        let worth = (manner.rank)(&by_use);
        let places: HashMap<usize, usize> = menu.iter().copied().zip(0..).collect();
        MenuOrder {
            indexes: worth.order.iter().filter_map(|at| places.get(at).copied()).collect(),
            relevant: worth.relevant.min(MOST_RELEVANT),
        }
    });
    Arc::new(shortened)
}

/// One skill for the menu.
pub fn item(entry: &Entry) -> MenuItem {
    MenuItem {
        name: entry.address(),
        description: entry.loaded.manifest.description.clone().unwrap_or_default(),
        when_to_use: entry.loaded.manifest.when_to_use.clone(),
        location: entry.origin.file.display().to_string(),
    }
}

/// What the user sees in a turn.
pub fn visible(catalog: &Catalog, composed: &Composition) -> Seen {
    seen_of(catalog, &composed.offered)
}

/// What a user who sees these skills sees.
pub fn seen_of(catalog: &Catalog, skills: &[usize]) -> Seen {
    let entry = |at: &usize| {
        let entry = &catalog.entries[*at];
        (entry.address(), format!("{:016x}", entry.loaded.content))
    };
    Seen(skills.iter().map(entry).collect())
}

/// The listed skills, and those of the selected ones that a model could have listed.
fn offered(engine: &Engine<'_>, listed: &[usize], selection: &Selection) -> Vec<usize> {
    let chosen = selection.selected.iter().map(skillful_select::selection::Selected::entry);
    let chosen =
        chosen.filter(|at| !listed.contains(at) && is_open(engine.catalog, *at, engine.asker, Way::Menu));
    listed.iter().copied().chain(chosen).collect()
}

/// The changelogs of skills that came or changed.
fn changelogs(engine: &Engine<'_>, news: &News) -> Vec<(String, String)> {
    let names = news.changed.iter().chain(&news.added);
    let read = |name: &String| {
        let (_, entry) = engine.catalog.called(name).next()?;
        let text = entry.read_start("CHANGELOG.md", CHANGELOG_LIMIT).ok()?;
        (!text.trim().is_empty()).then(|| (name.clone(), text))
    };
    names.filter_map(read).take(CHANGELOGS).collect()
}

struct Writing<'a> {
    engine: &'a Engine<'a>,
    turn: &'a Turn,
    manner: &'a Manner<'a>,
    parts: Vec<Part>,
    activations: Vec<Activation>,
    staying: Vec<String>,
    unread: Vec<Unread>,
}

impl<'a> Writing<'a> {
    /// What a skill gets: the words behind the slash commands of the message, or of the last message that called it
    /// when it only stays selected.
    fn arguments(&self, chosen: &Selected, selection: &Selection) -> &'a str {
        let (turn, entry) = (self.turn, chosen.entry());
        if let Some(range) = mention::called(&selection.mentions, entry, &turn.message) {
            return &turn.message[range];
        }
        if !chosen.only_stays() {
            return "";
        }
        let Engine { catalog, asker, .. } = *self.engine;
        let earlier = turn.past.iter().rev().filter(|past| past.message.trim_start().starts_with('/'));
        let mut calls = earlier.filter_map(|past| {
            let mentions = mention::parse(&past.message).list;
            let meant = mention::resolve(&mentions, catalog, asker, &turn.folder, &[]);
            Some(&past.message[mention::called(&meant, entry, &past.message)?])
        });
        calls.next().unwrap_or_default()
    }

    fn push(&mut self, role: Role, kind: PartKind, name: Option<String>, text: String) {
        if !text.is_empty() {
            let tokens = self.manner.unit.cost(&text);
            self.parts.push(Part { role, kind, name, text, tokens });
        }
    }

    fn skill(&mut self, chosen: &Selected, selection: &Selection) {
        let entry = &self.engine.catalog.entries[chosen.entry()];
        let name = entry.address();
        let arguments = self.arguments(chosen, selection);
        let stays = stays(self.engine.catalog, chosen, selection) && (self.manner.holds)(entry);
        let quiet = Engine { work: self.engine.work.filter(|_| !stays), ..*self.engine };
        match activate(&quiet, &chosen.proof, arguments) {
            Ok(activation) if stays || (self.manner.is_loaded)(&name, &activation.instructions) => {
                // What only stays is not called again, and a model must not take it for that.
                let text = envelope::again(&name, if stays { "" } else { arguments });
                self.push(Role::User, PartKind::LoadedSkill, Some(name.clone()), text);
                self.activations.push(activation);
                self.staying.extend(stays.then_some(name));
            }
            Ok(activation) => {
                let mut text = envelope::injected(&name, &activation.path, &activation.instructions);
                for missing in selection.missing.iter().filter(|missing| missing.of == name) {
                    text.push_str(&envelope::missing_companion(&missing.name, &name, &missing.words()));
                }
                self.push(Role::User, PartKind::Skill, Some(name), text);
                self.activations.push(activation);
            }
            Err(error) => self.unread.push(Unread { name, reason: error.to_string() }),
        }
    }
}

/// Whether a skill only stays selected, or comes with one that does. It is not called again: its commands do not run, the
/// arguments of its call hold, and neither its tool lists nor the skill that follows it count again.
fn stays(catalog: &Catalog, chosen: &Selected, selection: &Selection) -> bool {
    let of_staying = |of: &str| {
        let mut roots = selection.selected.iter();
        roots.any(|root| root.only_stays() && catalog.entries[root.entry()].address() == of)
    };
    chosen.why.iter().all(|why| match why {
        SelectionReason::Sticky => true,
        SelectionReason::Companion { of } => of_staying(of),
        _ => false,
    })
}

/// A skill that a model loads: its content with its companions in the same answer.
pub fn load(
    engine: &Engine<'_>,
    proof: &Admitted,
    arguments: &str,
) -> Result<(Activation, String), ActivationError> {
    let catalog = engine.catalog;
    let entry = catalog.admitted(proof)?.entry();
    let activation = activate(engine, proof, arguments)?;
    let whole = |activation: &Activation| {
        let (name, folder) = (&activation.name, activation.folder.as_deref());
        envelope::content(name, folder, &activation.instructions, &activation.files)
    };
    let mut text = whole(&activation);
    let person = engine.asker.principal.user.as_deref();
    for name in &entry.loaded.manifest.companion_skills {
        let found = catalog.called_by(name, person);
        let refused = |reason: &str| envelope::missing_companion(name, &activation.name, reason);
        let Some((companion, _)) = found else {
            text.push_str(&refused("there is no such skill"));
            continue;
        };
        let proof = match admit(catalog, companion, engine.asker, Way::Companion) {
            Ok(proof) => proof,
            Err(verdict) => {
                text.push_str(&refused(&verdict.words_for_a_model()));
                continue;
            }
        };
        match activate(engine, &proof, "") {
            Ok(companion) => {
                text.push_str(&envelope::companion(name, &activation.name));
                text.push_str(&whole(&companion));
            }
            Err(ActivationError::Unreadable(_)) => text.push_str(&refused("its file cannot be read")),
            Err(error) => text.push_str(&refused(&error.to_string())),
        }
    }
    Ok((activation, text))
}
