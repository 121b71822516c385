//! Connections: how many there are at once, how long a client may take for the head of a request, and how they end.

use crate::slow_body::SlowBody;
use axum::{Router, body::Body, extract::ConnectInfo};
use hyper::{
    Request,
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, oneshot, watch},
    task::JoinSet,
};

/// How long requests may go on after the server was asked to stop.
const DRAIN: Duration = Duration::from_secs(10);
/// How long the head of a request may take, and how long a kept connection or the body of a request may be quiet: longer than
/// proxies keep theirs.
const PATIENCE: Duration = Duration::from_secs(75);
/// Connections at once; further ones wait until one ends.
const CONNECTIONS: usize = 10_000;

/// What a request knows of the end of the server: a stream that would not end by itself ends then.
#[derive(Clone, Debug)]
pub(crate) struct Stopping(watch::Receiver<()>);

impl Stopping {
    /// Waits until the server was asked to stop.
    pub(crate) async fn wait(&mut self) {
        // The sender sends nothing and is dropped.
        let _dropped = self.0.changed().await;
    }
}

/// Serves until `stop` is sent or dropped; then requests that are under way are finished, for at most ten seconds.
pub async fn serve(listener: TcpListener, router: Router, stop: oneshot::Receiver<()>) -> io::Result<()> {
    serve_with(listener, router, stop, PATIENCE, CONNECTIONS).await
}

pub(crate) async fn serve_with(
    listener: TcpListener,
    router: Router,
    stop: oneshot::Receiver<()>,
    patience: Duration,
    connections: usize,
) -> io::Result<()> {
    let (ending, ended) = watch::channel(());
    let places = Arc::new(Semaphore::new(connections));
    let mut served = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            _asked = &mut stop => break,
            next = next => next,
        };
        match accepted {
            Ok((stream, peer)) => {
                // An event or the end of an answer does not wait until the client acknowledges what came before.
                let _as_it_was = stream.set_nodelay(true);
                let connection = connection(stream, peer, router.clone(), ended.clone(), patience);
                served.spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            Err(error) if is_of_the_client(&error) => {}
            // Too many open files, for example: it gets better when other connections end.
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
        while served.try_join_next().is_some() {}
    }
    drop(listener);
    drop(ended);
    drop(ending);
    let _late = tokio::time::timeout(DRAIN, async { while served.join_next().await.is_some() {} }).await;
    Ok(())
}

fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    mut ended: watch::Receiver<()>,
    patience: Duration,
) {
    let routes = TowerToHyperService::new(router);
    let stopping = Stopping(ended.clone());
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(stopping.clone());
        routes.call(request.map(|body| Body::new(SlowBody::new(body, patience))))
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .serve_connection(TokioIo::new(stream), service)
    );
    // An error is a client that went away, was too slow or sent something else than HTTP.
    tokio::select! {
        _ended = connection.as_mut() => return,
        _stopping = ended.changed() => connection.as_mut().graceful_shutdown(),
    }
    let _ended = connection.await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::{
        io::{Read as _, Write as _},
        net,
        time::Instant,
    };

    /// The port of a server with one route.
    async fn started(head: Duration, connections: usize) -> (u16, oneshot::Sender<()>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (stop, stopped) = oneshot::channel();
        let router = Router::new().route(
            "/",
            get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() })
                .post(|body: String| async move { body }),
        );
        tokio::spawn(serve_with(listener, router, stopped, head, connections));
        (port, stop)
    }

    /// What comes back until the server closes the connection.
    async fn sent(port: u16, text: impl Into<String>) -> String {
        let text = text.into();
        tokio::task::spawn_blocking(move || {
            let mut stream = net::TcpStream::connect(("127.0.0.1", port)).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        })
        .await
        .unwrap()
    }

    const WHOLE: &str = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_never_ends_the_head_of_its_request_is_cut_off() {
        let (port, _stop) = started(Duration::from_millis(300), 10).await;
        let began = Instant::now();
        let answer = sent(port, "GET / HTTP/1.1\r\nhost: x\r\n").await;
        assert!(!answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
        assert!(sent(port, WHOLE).await.ends_with("127.0.0.1"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_stops_in_the_middle_of_a_body_is_cut_off() {
        let (port, _stop) = started(Duration::from_millis(300), 10).await;
        let head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\nconnection: close\r\n\r\n";
        let began = Instant::now();
        let answer = sent(port, [head, "ab"].concat()).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
        assert!(sent(port, [head, "abcd"].concat()).await.ends_with("abcd"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn further_connections_wait_for_one_that_ends_and_a_stop_closes_idle_ones() {
        let (port, stop) = started(Duration::from_mins(1), 1).await;
        let idle = net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        let waiting = tokio::spawn(sent(port, WHOLE));
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(!waiting.is_finished(), "the only place is taken");
        drop(idle);
        assert!(waiting.await.unwrap().ends_with("127.0.0.1"));
        let mut idle = net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        drop(stop);
        let began = Instant::now();
        let read = tokio::task::spawn_blocking(move || idle.read(&mut [0; 16])).await.unwrap();
        assert!(matches!(read, Ok(0) | Err(_)) && began.elapsed() < Duration::from_secs(9), "{read:?}");
    }
}
