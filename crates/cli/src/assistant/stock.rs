//! The skills of a conversation. They are looked at anew when something about them changed, and only then: from
//! the second turn on the folders are watched, so that a turn does not pay for skills that are as they were.

use crate::{context::Context, turn::rank};
use skillful_assistant::run::Finder;
use skillful_catalog::{
    Catalog,
    watch::{Watch, Woken},
};
use skillful_route::Router;
use skillful_runtime::compose::Ranked;
use std::{
    fs,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

/// The skills of a moment, with what is made of them once.
pub(crate) struct Shelf {
    /// The skills.
    pub catalog: Catalog,
    cache: Option<PathBuf>,
    router: OnceLock<Router>,
    guarded: OnceLock<Vec<PathBuf>>,
}

impl Shelf {
    fn new(context: &Context) -> Self {
        Self {
            catalog: Catalog::build(context.inputs()),
            cache: context.config.settings.cache.clone(),
            router: OnceLock::new(),
            guarded: OnceLock::new(),
        }
    }

    /// The index, opened when it is first needed.
    pub(crate) fn router(&self) -> &Router {
        self.router.get_or_init(|| Router::open(&self.catalog, self.cache.as_deref()).0)
    }

    /// Folders of skills: whoever writes there changes what agents are told to do.
    pub(crate) fn guarded(&self) -> &[PathBuf] {
        self.guarded.get_or_init(|| super::world::guarded(&self.catalog))
    }
}

impl std::fmt::Debug for Shelf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} skills", self.catalog.entries.len())
    }
}

impl Finder for Shelf {
    fn rank(&self, message: &str, menu: &[usize]) -> Ranked {
        rank(self.router(), message, menu)
    }

    fn search(&self, query: &str, limit: usize, open: &dyn Fn(usize) -> bool) -> Vec<usize> {
        self.router().search(query, limit, open).into_iter().map(|found| found.entry).collect()
    }
}

/// When and how large a file was.
type Stamp = Option<(SystemTime, u64)>;

/// The skills of a conversation.
#[derive(Default)]
pub(crate) struct Stock {
    shelf: Option<Arc<Shelf>>,
    watch: Option<Watch>,
    /// Whether some folder cannot be watched, so that every turn has to look.
    blind: bool,
    stamps: [Stamp; 2],
}

impl Stock {
    /// The skills of this moment.
    pub(crate) fn now(&mut self, context: &Context) -> Arc<Shelf> {
        let stamps = [&context.paths.variables, &context.paths.trust].map(stamp);
        let changed = match &mut self.watch {
            Some(watch) if !self.blind => watch.wait(Duration::ZERO) == Woken::Changed,
            _ => true,
        };
        if let Some(shelf) = self.shelf.as_ref().filter(|_| !changed && self.stamps == stamps) {
            return Arc::clone(shelf);
        }
        if self.watch.is_none() && !self.blind && self.shelf.is_some() {
            self.watch = Watch::new().ok();
            self.blind = self.watch.is_none();
        }
        // Watched before they are looked at, so that nothing is missed in between.
        let before = self.shelf.take();
        self.follow(before.as_deref());
        let shelf = Arc::new(Shelf::new(context));
        if before.is_none_or(|before| before.catalog.roots != shelf.catalog.roots) {
            self.follow(Some(&shelf));
        }
        self.stamps = stamps;
        self.shelf = Some(Arc::clone(&shelf));
        shelf
    }

    fn follow(&mut self, shelf: Option<&Shelf>) {
        if let (Some(watch), Some(shelf)) = (&mut self.watch, shelf) {
            self.blind = !watch.follow(&shelf.catalog.roots).is_empty();
        }
    }
}

fn stamp(path: &PathBuf) -> Stamp {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}
