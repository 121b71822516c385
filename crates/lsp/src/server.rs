//! The server: one thread reads messages, one writes them, one reads the workspace, and this one answers.

mod requests;

use crate::{
    Ended, Settings,
    background::{Background, Snapshot},
    check,
    framing::{self, Frame},
    message::{self, CANCELLED, INTERNAL_ERROR, INVALID_REQUEST, Incoming, NOT_INITIALIZED, RpcError},
    open_file::OpenFile,
    session::{Session, configure},
};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams,
    PublishDiagnosticsParams,
};
use serde_json::{Value, json};
use skillful::Workspace;
use std::{
    collections::{BTreeMap, VecDeque},
    io::{BufReader, BufWriter, Read, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

/// Messages that wait to be answered or written.
const QUEUE: usize = 1_024;
/// Files that a client may have open.
const OPEN_FILES: usize = 1_024;
/// Diagnostics of a text that changes all the time are reported this often.
const LATEST_REPORT: Duration = Duration::from_millis(250);
/// How often the process of the client is looked for.
const PARENT_STEP: Duration = Duration::from_secs(2);

/// How long the last answers may take.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// What the server waits for.
enum Event {
    Message(Incoming),
    Snapshot(Box<Snapshot>),
    Closed(Ended),
}

/// How far the protocol is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Fresh,
    Serving,
    ShutDown,
}

/// The server of one client.
pub(crate) struct Server {
    workspace: Workspace,
    settings: Settings,
    session: Session,
    phase: Phase,
    /// By address.
    files: BTreeMap<String, OpenFile>,
    snapshot: Option<Snapshot>,
    background: Option<Background>,
    events: Receiver<Event>,
    sender: SyncSender<Event>,
    queue: VecDeque<Event>,
    output: SyncSender<Vec<u8>>,
    /// Ends when everything is written.
    writer: Receiver<()>,
    /// Since when a file waits for its report.
    waiting_since: Option<Instant>,
    asked: u64,
}

impl Server {
    pub(crate) fn new(
        workspace: Workspace,
        settings: Settings,
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> Self {
        let (sender, events) = sync_channel(QUEUE);
        let (written, to_write) = sync_channel::<Vec<u8>>(QUEUE);
        let reads = sender.clone();
        thread::spawn(move || read_all(input, &reads));
        let (finished, writer) = sync_channel::<()>(1);
        thread::spawn(move || {
            let mut output = BufWriter::new(output);
            // The client is gone when writing fails; the reader notices it.
            let _gone = to_write.iter().try_for_each(|message| framing::write(&mut output, &message));
            drop(finished);
        });
        Self {
            workspace,
            settings,
            session: Session::default(),
            phase: Phase::Fresh,
            files: BTreeMap::new(),
            snapshot: None,
            background: None,
            events,
            sender,
            queue: VecDeque::new(),
            output: written,
            writer,
            waiting_since: None,
            asked: 0,
        }
    }

    /// Answers until the client leaves.
    pub(crate) fn run(mut self) -> Ended {
        loop {
            if let Some(ended) = self.receive() {
                return self.end(ended);
            }
            let late = self.waiting_since.is_some_and(|since| since.elapsed() >= LATEST_REPORT);
            if self.queue.is_empty() || late {
                self.report_one();
            }
            let Some(event) = self.queue.pop_front() else { continue };
            match event {
                Event::Message(message) => {
                    if let Some(ended) = self.handle(message) {
                        return self.end(ended);
                    }
                }
                Event::Snapshot(snapshot) => self.take(*snapshot),
                Event::Closed(_) if self.phase == Phase::ShutDown => return self.end(Ended::Properly),
                Event::Closed(ended) => return self.end(ended),
            }
        }
    }

    /// Lets the last answers out, as far as the client reads them.
    fn end(self, ended: Ended) -> Ended {
        let Self { output, writer, .. } = self;
        drop(output);
        let _finished = writer.recv_timeout(LAST_ANSWERS);
        ended
    }

    /// Moves what arrived into the queue; waits when there is nothing else to do. Returns how the client left when its
    /// process is gone.
    fn receive(&mut self) -> Option<Ended> {
        if self.queue.is_empty() && self.waiting_since.is_none() {
            match self.events.recv_timeout(PARENT_STEP) {
                Ok(event) => self.push(event),
                Err(RecvTimeoutError::Timeout) => return self.parent_is_gone().then_some(Ended::Abruptly),
                Err(RecvTimeoutError::Disconnected) => return Some(Ended::Abruptly),
            }
        }
        while self.queue.len() < QUEUE {
            match self.events.try_recv() {
                Ok(event) => self.push(event),
                Err(_) => break,
            }
        }
        None
    }

    /// Adds to the queue. A request that the client cancels before its turn gets its answer now.
    fn push(&mut self, event: Event) {
        if let Event::Message(Incoming::Notification { method, params }) = &event
            && method == "$/cancelRequest"
        {
            let wanted = params.get("id").cloned().unwrap_or(Value::Null);
            let is_it =
                |one: &Event| matches!(one, Event::Message(Incoming::Request { id, .. }) if *id == wanted);
            if let Some(at) = self.queue.iter().position(is_it) {
                self.queue.remove(at);
                self.send(&message::answer(
                    &wanted,
                    Err(RpcError::new(CANCELLED, "the client cancelled it")),
                ));
            }
            return;
        }
        self.queue.push_back(event);
    }

    fn parent_is_gone(&self) -> bool {
        let Some(parent) = self.session.parent else { return false };
        let pid = i32::try_from(parent).ok().and_then(rustix::process::Pid::from_raw);
        pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
    }

    fn handle(&mut self, message: Incoming) -> Option<Ended> {
        match message {
            Incoming::Request { id, method, params } => {
                let result = match catch_unwind(AssertUnwindSafe(|| self.answer(&method, params))) {
                    Ok(result) => result,
                    Err(_) => Err(RpcError::new(INTERNAL_ERROR, format!("`{method}` failed"))),
                };
                self.send(&message::answer(&id, result));
                None
            }
            Incoming::Notification { method, .. } if method == "exit" => {
                Some(if self.phase == Phase::ShutDown { Ended::Properly } else { Ended::Abruptly })
            }
            Incoming::Notification { method, params } => {
                if self.phase == Phase::Serving {
                    let heard = catch_unwind(AssertUnwindSafe(|| self.hear(&method, params)));
                    if heard.is_err() {
                        self.log(&format!("`{method}` failed"));
                    }
                }
                None
            }
            Incoming::Response => None,
            Incoming::Bad(error) => {
                self.send(&message::answer(&Value::Null, Err(error)));
                None
            }
        }
    }

    fn answer(&mut self, method: &str, params: Value) -> Result<Value, RpcError> {
        match (self.phase, method) {
            (Phase::Fresh, "initialize") => {
                let params: InitializeParams = requests::parsed(params)?;
                Ok(self.initialize(&params))
            }
            (Phase::Fresh, _) => {
                Err(RpcError::new(NOT_INITIALIZED, "the first request must be `initialize`"))
            }
            (Phase::ShutDown, _) => Err(RpcError::new(INVALID_REQUEST, "the server is shut down")),
            (Phase::Serving, "initialize") => {
                Err(RpcError::new(INVALID_REQUEST, "the server is initialized already"))
            }
            (Phase::Serving, "shutdown") => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            (Phase::Serving, _) => self.request(method, params),
        }
    }

    fn initialize(&mut self, params: &InitializeParams) -> Value {
        self.session = Session::of(params);
        self.phase = Phase::Serving;
        let given = params.initialization_options.clone().unwrap_or(Value::Null);
        self.configure(&given);
        if let Some(folder) = self.session.folder.clone() {
            self.workspace = self.workspace.in_folder(folder);
        }
        let sender = self.sender.clone();
        let send = move |snapshot| sender.send(Event::Snapshot(Box::new(snapshot))).is_ok();
        self.background = Some(Background::start(self.workspace.clone(), send));
        serde_json::to_value(self.session.result()).unwrap_or_default()
    }

    fn configure(&mut self, given: &Value) {
        let mut problems = configure(&mut self.settings, given);
        if let Some(agent) = &self.settings.agent
            && let Err(unknown) = self.workspace.agent(agent)
        {
            problems.push(unknown.to_string());
            self.settings.agent = None;
        }
        for problem in problems {
            self.show(&format!("skillful: {problem}"));
        }
        self.recheck();
    }

    fn hear(&mut self, method: &str, params: Value) {
        match method {
            "textDocument/didOpen" => {
                if let Some(DidOpenTextDocumentParams { text_document: opened }) = self.read(method, params) {
                    let key = opened.uri.as_str().to_owned();
                    if self.files.len() >= OPEN_FILES && !self.files.contains_key(&key) {
                        self.log(&format!("more than {OPEN_FILES} files are open; this one is not read"));
                        return;
                    }
                    let file = OpenFile::new(opened.uri, opened.text, opened.version);
                    if let (Some(background), Some(path)) = (&self.background, file.path.clone())
                        && file.is_skill()
                    {
                        background.open(path);
                    }
                    self.files.insert(key, file);
                    self.waiting_since.get_or_insert_with(Instant::now);
                }
            }
            "textDocument/didChange" => {
                if let Some(changed) = self.read::<DidChangeTextDocumentParams>(method, params) {
                    let encoding = self.session.encoding;
                    let Some(file) = self.files.get_mut(changed.text_document.uri.as_str()) else { return };
                    for change in changed.content_changes {
                        file.change(change.range, &change.text, encoding);
                    }
                    file.version = changed.text_document.version;
                    self.waiting_since.get_or_insert_with(Instant::now);
                }
            }
            "textDocument/didClose" => {
                if let Some(DidCloseTextDocumentParams { text_document: closed }) = self.read(method, params)
                    && let Some(file) = self.files.remove(closed.uri.as_str())
                {
                    if let (Some(background), Some(path)) = (&self.background, file.path.clone()) {
                        background.close(path);
                    }
                    if file.is_skill() && !self.session.pulls {
                        self.publish(&PublishDiagnosticsParams::new(file.uri, Vec::new(), None));
                    }
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                if let Some(background) = &self.background {
                    background.refresh();
                }
                // A file that a body links to may be there now.
                self.recheck();
            }
            "workspace/didChangeConfiguration" => {
                let given = params.get("settings").cloned().unwrap_or(Value::Null);
                self.configure(&given);
            }
            _ => {}
        }
    }

    /// Parameters of a notification; what does not fit is logged, since a notification has no answer.
    fn read<T: serde::de::DeserializeOwned>(&mut self, method: &str, params: Value) -> Option<T> {
        match requests::parsed(params) {
            Ok(params) => Some(params),
            Err(error) => {
                self.log(&format!("`{method}`: {}", error.message));
                None
            }
        }
    }

    /// Checks every open file again.
    fn recheck(&mut self) {
        for file in self.files.values_mut() {
            file.outdated();
        }
        if self.files.is_empty() {
            return;
        }
        self.waiting_since.get_or_insert_with(Instant::now);
        if self.session.pulls && self.session.refreshes_diagnostics {
            self.ask("workspace/diagnostic/refresh");
        }
    }

    /// Reports the newest text of one file; a newer message comes before the next file.
    fn report_one(&mut self) {
        let Some(key) = self.files.iter().find(|(_, file)| !file.is_reported).map(|(key, _)| key.clone())
        else {
            self.waiting_since = None;
            return;
        };
        let Some(file) = self.files.get_mut(&key) else { return };
        file.is_reported = true;
        if self.session.pulls || !file.is_skill() {
            return;
        }
        let (workspace, settings, encoding) = (&self.workspace, &self.settings, self.session.encoding);
        let found = catch_unwind(AssertUnwindSafe(|| check::report(file, workspace, settings, encoding)));
        let Ok(found) = found else { return };
        let params = PublishDiagnosticsParams::new(file.uri.clone(), found, Some(file.version));
        self.publish(&params);
    }

    fn publish(&self, params: &PublishDiagnosticsParams) {
        let params = serde_json::to_value(params).unwrap_or_default();
        self.send(&message::notification("textDocument/publishDiagnostics", &params));
    }

    fn take(&mut self, snapshot: Snapshot) {
        self.snapshot = Some(snapshot);
        if self.session.refreshes_lenses {
            self.ask("workspace/codeLens/refresh");
        }
    }

    /// Sends a request whose answer does not matter.
    fn ask(&mut self, method: &str) {
        self.asked += 1;
        self.send(&message::request(&format!("skillful-{}", self.asked), method, &Value::Null));
    }

    fn show(&self, text: &str) {
        self.send(&message::notification("window/showMessage", &json!({ "type": 3, "message": text })));
    }

    fn log(&self, text: &str) {
        self.send(&message::notification("window/logMessage", &json!({ "type": 2, "message": text })));
    }

    fn send(&self, message: &Value) {
        // A client that is gone is noticed by the reader.
        let _gone = self.output.send(message.to_string().into_bytes());
    }
}

/// Reads messages until the client closes the stream.
fn read_all(input: impl Read, events: &SyncSender<Event>) {
    let mut input = BufReader::new(input);
    loop {
        let event = match framing::read(&mut input) {
            Frame::Message(bytes) => Event::Message(Incoming::parse(&bytes)),
            Frame::TooLong(length) => {
                let limit = framing::MESSAGE_LIMIT;
                let text = format!("the message has {length} bytes; the limit is {limit}");
                Event::Message(Incoming::Bad(RpcError::new(INVALID_REQUEST, text)))
            }
            Frame::Closed => Event::Closed(Ended::Abruptly),
            Frame::Unframed(why) => {
                let bad = Incoming::Bad(RpcError::new(message::PARSE_ERROR, why));
                if events.send(Event::Message(bad)).is_err() {
                    return;
                }
                Event::Closed(Ended::Unframed)
            }
        };
        let is_last = matches!(event, Event::Closed(_));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}
