//! Ctrl-C or Esc ends a step and not the program. Ctrl-C again before the step ended ends the program too.

use crate::terminal::{keys, screen::Screen};
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
    screen: Screen,
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Interrupt {
    /// Listens from now on; an interrupt sets `cancel`.
    pub(crate) fn new(cancel: &Cancel, screen: Screen) -> io::Result<Self> {
        let mut signals = Signals::new([SIGINT])?;
        let handle = signals.handle();
        let running = Arc::new(AtomicBool::new(false));
        let (flag, wanted, shown) = (Arc::clone(&running), cancel.clone(), screen.clone());
        let thread = std::thread::spawn(move || {
            for _ in signals.forever() {
                if flag.load(Ordering::SeqCst) && !wanted.is_cancelled() {
                    stop(&wanted, &shown);
                } else {
                    keys::restore();
                    let _ends_here = emulate_default_handler(SIGINT);
                }
            }
        });
        Ok(Self { running, cancel: cancel.clone(), screen, handle, thread: Some(thread) })
    }

    /// Stops the step that runs when it is called, as an interrupt does.
    pub(crate) fn stopper(&self) -> impl Fn() + Send + 'static {
        let (running, cancel, screen) = (Arc::clone(&self.running), self.cancel.clone(), self.screen.clone());
        move || {
            if running.load(Ordering::SeqCst) && !cancel.is_cancelled() {
                stop(&cancel, &screen);
            }
        }
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

fn stop(cancel: &Cancel, screen: &Screen) {
    cancel.cancel();
    screen.stopping("stopping … (Ctrl-C again quits)");
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
