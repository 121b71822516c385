//! Lists by page. A cursor names the last item that was given, so that a list which changes between two
//! pages neither repeats nor skips what stayed.

use rmcp::ErrorData;

/// What every cursor starts with; anything else was not given by us.
const MARK: &str = "after:";

/// One page of a sorted list.
pub(crate) struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Where to go on; `None` at the end.
    pub next: Option<String>,
}

/// Takes at most `size` items of a list that is sorted by `key`, behind the cursor.
pub(crate) fn page<T>(
    items: Vec<T>,
    size: usize,
    cursor: Option<&str>,
    key: impl Fn(&T) -> String,
) -> Result<Page<T>, ErrorData> {
    let after = match cursor {
        Some(cursor) => Some(cursor.strip_prefix(MARK).ok_or_else(|| {
            ErrorData::invalid_params("this server did not make the cursor; start again without one", None)
        })?),
        None => None,
    };
    let start = after.map_or(0, |after| items.partition_point(|item| key(item).as_str() <= after));
    let rest = items.len() - start;
    let items: Vec<T> = items.into_iter().skip(start).take(size).collect();
    let next = items.last().filter(|_| rest > size).map(|last| format!("{MARK}{}", key(last)));
    Ok(Page { items, next })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn pages_follow_one_another_even_when_the_list_changes_between_them() {
        let first = page(names(&["a", "b", "c", "d"]), 2, None, Clone::clone).unwrap();
        assert_eq!(first.items, ["a", "b"]);
        let changed = names(&["a", "a2", "c", "d"]);
        let second = page(changed, 2, first.next.as_deref(), Clone::clone).unwrap();
        assert_eq!(second.items, ["c", "d"]);
        assert_eq!(second.next, None);
    }

    #[test]
    fn a_cursor_that_we_did_not_give_is_refused() {
        assert!(page(names(&["a"]), 2, Some("17"), Clone::clone).is_err());
    }
}
