//! Ctrl-C ends a step and not the program. Pressed again before the step ended, it ends the program too.

use crate::terminal::screen::Screen;
use signal_hook::{
    consts::SIGINT,
    iterator::{Handle, Signals},
    low_level::emulate_default_handler,
};
use skillful_llm::Cancel;
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

/// Listens for interrupts until it is dropped.
pub(crate) struct Interrupt {
    running: Arc<AtomicBool>,
    cancel: Cancel,
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Interrupt {
    /// Listens from now on; an interrupt sets `cancel`.
    pub(crate) fn new(cancel: &Cancel, screen: Screen) -> io::Result<Self> {
        let mut signals = Signals::new([SIGINT])?;
        let handle = signals.handle();
        let running = Arc::new(AtomicBool::new(false));
        let (flag, wanted) = (Arc::clone(&running), cancel.clone());
        let thread = std::thread::spawn(move || {
            for _ in signals.forever() {
                if flag.load(Ordering::SeqCst) && !wanted.is_cancelled() {
                    wanted.cancel();
                    screen.stopping("stopping … (Ctrl-C again quits)");
                } else {
                    let _ends_here = emulate_default_handler(SIGINT);
                }
            }
        });
        Ok(Self { running, cancel: cancel.clone(), handle, thread: Some(thread) })
    }

    /// Notes that a step starts.
    pub(crate) fn begin(&self) {
        self.cancel.reset();
        self.running.store(true, Ordering::SeqCst);
    }

    /// Notes that the step ended.
    pub(crate) fn end(&self) {
        self.running.store(false, Ordering::SeqCst);
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
