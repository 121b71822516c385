//! Reading the grammar.

use super::{
    Source, SourceLocation,
    address::{Address, Forge, GIT_ENDING, Remote},
    error::{Part, SourceError, SourceFault},
    parts::{self, Ref, SkillName, plain},
};
use skillful_format::{Limits, TreePath, tree::PathFault};

const ARCHIVES: [&str; 4] = [".zip", ".skill", ".tar.gz", ".tgz"];
const NAME_LIMIT: usize = 214;
const VERSION_LIMIT: usize = 64;

pub(super) fn source(text: &str) -> Result<Source, SourceError> {
    plain(Part::Whole, text, super::SOURCE_LIMIT)?;
    if text.trim() != text {
        return Err(SourceError::new(Part::Whole, text, SourceFault::Character));
    }
    if is_path(text) {
        // A folder can have `#` in its name; `#@` before a skill's name is the end of the path.
        let named =
            text.rsplit_once("#@").and_then(|(path, skill)| Some((path, SkillName::new(skill).ok()?)));
        return Ok(match named {
            Some((path, skill)) if !path.is_empty() => {
                Source { skill: Some(skill), ..Source::of(SourceLocation::Path(path.to_owned())) }
            }
            _ => Source::of(SourceLocation::Path(text.to_owned())),
        });
    }
    let (head, tail) = match text.split_once('#') {
        Some((head, tail)) => (head, Some(tail)),
        None => (text, None),
    };
    let mut source = place(head)?;
    if let Some(tail) = tail {
        fragment(&mut source, tail)?;
    }
    let refuse = |part| Err(SourceError::new(part, "", SourceFault::NotHere));
    let is_repository = matches!(source.place, SourceLocation::Git(_) | SourceLocation::Forge { .. });
    if !is_repository && source.reference.is_some() {
        return refuse(Part::Ref);
    }
    if !is_repository && source.folder.is_some() {
        return refuse(Part::Folder);
    }
    if source.skill.is_some()
        && matches!(source.place, SourceLocation::Archive(_) | SourceLocation::Registry { .. })
    {
        return refuse(Part::Skill);
    }
    Ok(source)
}

fn is_path(text: &str) -> bool {
    matches!(text, "." | ".." | "~") || ["./", "../", "/", "~/"].iter().any(|start| text.starts_with(start))
}

fn place(head: &str) -> Result<Source, SourceError> {
    if let Some(rest) = head.strip_prefix("registry:") {
        return registry(rest).map(Source::of);
    }
    if let Some(name) = head.strip_prefix("starter:") {
        let skill = if name.is_empty() { None } else { Some(SkillName::new(name)?) };
        return Ok(Source { skill, ..Source::of(SourceLocation::Starter) });
    }
    for forge in Forge::ALL {
        if let Some(rest) = head.strip_prefix(forge.prefix()).and_then(|rest| rest.strip_prefix(':')) {
            return shorthand(forge, rest);
        }
    }
    if let Some((scheme, _)) = head.split_once("://") {
        return address(scheme, head);
    }
    if let Some((before, path)) = head.split_once(':')
        && let Some((user, host)) = before.rsplit_once('@')
        && !before.contains('/')
    {
        return Remote::from_scp(user, host, path).map(|remote| Source::of(SourceLocation::Git(remote)));
    }
    match head.split_once(':') {
        Some((scheme, _)) if !scheme.contains('/') => {
            Err(SourceError::new(Part::Scheme, scheme, SourceFault::Scheme))
        }
        _ if !head.contains('/') => Err(SourceError::new(Part::Whole, head, SourceFault::SingleWord)),
        _ => shorthand(Forge::GitHub, head),
    }
}

fn registry(rest: &str) -> Result<SourceLocation, SourceError> {
    let (name, version) = match rest.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (rest, None),
    };
    plain(Part::Name, name, NAME_LIMIT)?;
    let word = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    };
    if name.split('/').count() > 2 || !name.split('/').all(word) {
        return Err(SourceError::new(Part::Name, name, SourceFault::Character));
    }
    if let Some(version) = version {
        plain(Part::Version, version, VERSION_LIMIT)?;
        if !version.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.')) {
            return Err(SourceError::new(Part::Version, version, SourceFault::Character));
        }
    }
    Ok(SourceLocation::Registry { name: name.to_owned(), version: version.map(str::to_owned) })
}

fn address(scheme: &str, head: &str) -> Result<Source, SourceError> {
    if let Some(inner) = head.strip_prefix("git+") {
        // One repository has one spelling.
        if scheme == "git+https" && Forge::ALL.iter().any(|forge| host_and_path(inner).0 == forge.host()) {
            return address("https", inner);
        }
        return Remote::from_url(inner).map(|remote| Source::of(SourceLocation::Git(remote)));
    }
    match scheme {
        "file" => {
            // As in `owner/repo@skill`. A folder whose name has an `@` is written with `%40`.
            let named = head.rsplit_once('@').filter(|(_, skill)| !skill.contains('/'));
            let (head, skill) = match named {
                Some((head, skill)) => (head, Some(SkillName::new(skill)?)),
                None => (head, None),
            };
            let remote = Remote::from_url(head)?;
            return Ok(Source { skill, ..Source::of(SourceLocation::Git(remote)) });
        }
        "ssh" => {
            return Remote::from_url(head).map(|remote| Source::of(SourceLocation::Git(remote)));
        }
        "https" | "http" => {}
        _ => return Err(SourceError::new(Part::Scheme, scheme, SourceFault::Scheme)),
    }
    let address = Address::new(head)?;
    let (host, path) = host_and_path(address.as_str());
    let path = path.trim_end_matches('/');
    let lower = path.to_ascii_lowercase();
    if ARCHIVES.iter().any(|ending| lower.ends_with(ending)) {
        return Ok(Source::of(SourceLocation::Archive(address)));
    }
    for forge in Forge::ALL {
        if host == forge.host() && path.contains('/') {
            return page(forge, path);
        }
    }
    if path.ends_with(GIT_ENDING) {
        let bare = address.as_str().trim_end_matches('/');
        return Remote::from_url(bare).map(|remote| Source::of(SourceLocation::Git(remote)));
    }
    Ok(Source::of(SourceLocation::WellKnown(address)))
}

fn host_and_path(address: &str) -> (&str, &str) {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split_once('/').unwrap_or((rest, ""))
}

/// The address of a page of a forge: the repository, or a ref and a folder of it.
fn page(forge: Forge, path: &str) -> Result<Source, SourceError> {
    for mark in forge.page_marks() {
        if let Some((repository, rest)) = path.split_once(&format!("/{mark}/")) {
            let mut source = repository_of(forge, repository)?;
            let (reference, folder) = rest.split_once('/').unwrap_or((rest, ""));
            source.reference = Some(Ref::new(reference)?);
            // The page of the skill's file means the skill's folder.
            let folder = folder.strip_suffix("SKILL.md").unwrap_or(folder).trim_end_matches('/');
            source.folder = some_folder(folder)?;
            return Ok(source);
        }
    }
    if forge != Forge::GitLab && path.split('/').count() > 2 {
        return Err(SourceError::new(Part::Folder, path, SourceFault::NotHere));
    }
    repository_of(forge, path)
}

/// `owner/repo[/FOLDER][@SKILL]`, or with `:SKILL`.
fn shorthand(forge: Forge, rest: &str) -> Result<Source, SourceError> {
    let (path, skill) = match rest.find(['@', ':']) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let skill = skill.map(SkillName::new).transpose()?;
    // Groups nest there, so a folder can only follow the `#`.
    let (repository, folder) = if forge == Forge::GitLab {
        (path, "")
    } else {
        match path.match_indices('/').nth(1) {
            Some((at, _)) => (&path[..at], &path[at + 1..]),
            None => (path, ""),
        }
    };
    let mut source = repository_of(forge, repository)?;
    source.folder = some_folder(folder)?;
    source.skill = skill;
    Ok(source)
}

fn repository_of(forge: Forge, path: &str) -> Result<Source, SourceError> {
    let (owner, repository) = path.rsplit_once('/').unwrap_or(("", path));
    let repository = repository.strip_suffix(GIT_ENDING).unwrap_or(repository);
    for (part, text) in
        owner.split('/').map(|text| (Part::Owner, text)).chain([(Part::Repository, repository)])
    {
        plain(part, text, NAME_LIMIT)?;
        if text.starts_with('.') && matches!(text, "." | "..") {
            return Err(SourceError::new(part, text, SourceFault::Folder(PathFault::Dots)));
        }
        if !text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')) {
            return Err(SourceError::new(part, text, SourceFault::Character));
        }
    }
    let place = SourceLocation::Forge { forge, owner: owner.to_owned(), repository: repository.to_owned() };
    Ok(Source::of(place))
}

/// `[REF][:FOLDER][@SKILL]`
fn fragment(source: &mut Source, tail: &str) -> Result<(), SourceError> {
    if tail.is_empty() {
        return Err(SourceError::new(Part::Ref, tail, SourceFault::Empty));
    }
    if tail.contains('#') {
        return Err(SourceError::new(Part::Ref, tail, SourceFault::Twice));
    }
    let (rest, skill) = match tail.split_once('@') {
        Some((rest, skill)) => (rest, Some(skill)),
        None => (tail, None),
    };
    let (reference, folder) = match rest.split_once(':') {
        Some((reference, folder)) => (reference, Some(folder)),
        None => (rest, None),
    };
    let twice = |part| Err(SourceError::new(part, "", SourceFault::Twice));
    if let Some(skill) = skill {
        if source.skill.is_some() {
            return twice(Part::Skill);
        }
        source.skill = Some(SkillName::new(skill)?);
    }
    if let Some(folder) = folder {
        if source.folder.is_some() {
            return twice(Part::Folder);
        }
        source.folder = Some(folder_of(&parts::unescaped(Part::Folder, folder)?)?);
    }
    if !reference.is_empty() {
        if source.reference.is_some() {
            return twice(Part::Ref);
        }
        source.reference = Some(Ref::new(&parts::unescaped(Part::Ref, reference)?)?);
    }
    Ok(())
}

fn some_folder(text: &str) -> Result<Option<TreePath>, SourceError> {
    if text.is_empty() { Ok(None) } else { folder_of(text).map(Some) }
}

fn folder_of(text: &str) -> Result<TreePath, SourceError> {
    plain(Part::Folder, text, super::SOURCE_LIMIT)?;
    TreePath::new(text.trim_end_matches('/'), &Limits::default())
        .map_err(|fault| SourceError::new(Part::Folder, text, SourceFault::Folder(fault)))
}
