//! What a user sees before deciding about a skill that waits.

use super::{Library, LibraryError, ReviewItem};
use crate::{
    bindings::{asked, phrase},
    views::{
        ReviewCard, ReviewFile,
        install::{CardView, DifferenceView},
    },
};
use skillful_catalog::Loaded;
use skillful_format::Tree;
use skillful_registry::{install::differences, review::Card};

impl Library<'_> {
    /// The card of a skill that waits, with its files and what changed in them. An approval with the digest of the
    /// card covers exactly these files.
    pub fn review_card(&self, item: &ReviewItem) -> Result<ReviewCard, LibraryError> {
        let tree = self.review_tree(item)?;
        let (before, card) = self.card_of_review(item, &tree);
        let changed = before.as_ref().map(|before| differences(before, &tree)).unwrap_or_default();
        let asked = Loaded::of_tree(&tree).map(|loaded| self.bindable(asked(&loaded))).unwrap_or_default();
        Ok(ReviewCard {
            item: item.clone(),
            digest: tree.digest(),
            card: CardView::new(&card),
            differences: changed.iter().map(DifferenceView::new).collect(),
            files: ReviewFile::all(&tree),
            asks: asked.iter().map(phrase).collect(),
            is_blocked: Card::of(&tree).is_blocked(),
        })
    }

    /// The card of the files that wait, for every face: of a changed skill what is new since the version that the
    /// user approved, with the files of that version.
    pub fn card_of_review(&self, item: &ReviewItem, tree: &Tree) -> (Option<Tree>, Card) {
        let before = self.tree_before_change(item).filter(|before| before.digest() != tree.digest());
        let card = before.as_ref().map_or_else(|| Card::of(tree), |before| Card::since(before, tree));
        (before, card)
    }
}
