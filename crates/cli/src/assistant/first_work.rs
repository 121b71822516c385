//! A folder in which the user never let the assistant work: it only reads there until the user answers.

use super::{approve::AtTerminal, face::Face};
use skillful::Workspace;
use skillful_assistant::{
    approval::{ApprovalAnswer, ApprovalRequest, Approver},
    project,
    tool::Reach,
    worked_folders::WorkedFolders,
};
use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether the user let the assistant work in this folder.
#[derive(Debug)]
pub(crate) struct FirstWork {
    record: WorkedFolders,
    project: PathBuf,
    is_new: AtomicBool,
    /// Whether the user chose that the assistant only reads.
    is_chosen: AtomicBool,
    noted: AtomicBool,
}

impl FirstWork {
    /// The state of a workspace's project. A mode on the command line is an answer for this call; a trusted
    /// folder is one that the user works in.
    pub(super) fn new(workspace: &Workspace, mode_is_given: bool) -> Self {
        let record = WorkedFolders::new(&workspace.paths().data);
        let project = workspace.catalog().project.clone();
        let is_known = mode_is_given || project::is_trusted(workspace) || record.knows(&project);
        Self {
            record,
            project,
            is_new: AtomicBool::new(!is_known),
            is_chosen: AtomicBool::new(false),
            noted: AtomicBool::new(false),
        }
    }

    /// Whether the assistant only reads here.
    pub(super) fn is_new(&self) -> bool {
        self.is_new.load(Ordering::Acquire)
    }

    /// Lets the assistant work here, now and later.
    pub(super) fn accept(&self) {
        self.is_new.store(false, Ordering::Release);
        // A folder that is not remembered is asked about again.
        let _asked_again = self.record.remember(&self.project);
    }

    /// Lets the assistant only read here, for this session.
    pub(super) fn close(&self) {
        self.is_chosen.store(true, Ordering::Release);
        self.is_new.store(true, Ordering::Release);
    }

    /// Why the assistant only reads.
    pub(super) fn why(&self) -> &'static str {
        if self.is_chosen.load(Ordering::Acquire) {
            "you chose it"
        } else {
            "you have not worked in this folder before"
        }
    }

    /// What the user reads once about a new folder.
    pub(super) fn note(&self, folder: &str, can_ask: bool) -> Option<String> {
        if !self.is_new() || self.is_chosen.load(Ordering::Acquire) || self.noted.swap(true, Ordering::AcqRel)
        {
            return None;
        }
        let how = if can_ask { "you are asked before changes" } else { "--mode auto-safe allows changes" };
        Some(format!("read-only: you have not worked in {folder} before; {how}"))
    }
}

/// Asks at the terminal; the first approved change lets the assistant work in the folder.
pub(super) struct WithFolder<'a> {
    pub(super) inner: &'a AtTerminal<'a>,
    pub(super) folder: &'a FirstWork,
    pub(super) face: &'a Face,
}

impl Approver for WithFolder<'_> {
    fn ask(&self, question: &ApprovalRequest) -> ApprovalAnswer {
        let first = self.folder.is_new() && question.reach != Reach::Beyond;
        if first {
            self.face.pause();
            self.face.screen.tell(&format!("  {}; a yes lets the assistant work here\n", self.folder.why()));
        }
        let answer = self.inner.ask(question);
        if first && matches!(answer, ApprovalAnswer::Once | ApprovalAnswer::Always) {
            self.folder.accept();
        }
        answer
    }
}

/// Denies every change: for runs without a terminal in a new folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadOnly;

impl Approver for ReadOnly {
    fn ask(&self, _question: &ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::No(Some(
            "read-only (--mode auto-safe allows changes): the user has not worked in this folder before"
                .to_owned(),
        ))
    }
}
