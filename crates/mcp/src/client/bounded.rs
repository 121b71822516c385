//! HTTP for `rmcp` that reads no more of an answer than a message may have. Its own client reads a JSON body
//! to the end, however long that is.

use super::{lines::tidy, sign_in::Challenge, text::quote, watch::Conduct};
use futures_util::{StreamExt, stream};
use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        common::{client_side_sse::BoxedSseResponse, http_header::HEADER_SESSION_ID},
        streamable_http_client::{
            AuthRequiredError, HttpStatusError, SseError, StreamableHttpClient, StreamableHttpError,
            StreamableHttpPostResponse,
        },
    },
};
use sse_stream::{Sse, SseStream};
use std::{collections::HashMap, io, sync::Arc};

/// Bytes of an error that are read.
const ERROR_BYTES: usize = 64 << 10;
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

type Failure = StreamableHttpError<reqwest::Error>;

/// An HTTP client that reads no more of an answer than a message may have.
#[derive(Clone)]
pub(crate) struct Bounded {
    client: Client,
    limit: usize,
    /// Where an answer that was too long is recorded: `rmcp` drops a failed stream without an error.
    conduct: Arc<Conduct>,
}

impl Bounded {
    pub(crate) fn new(client: Client, limit: usize, conduct: Arc<Conduct>) -> Self {
        Self { client, limit, conduct }
    }
}

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let has_session = session_id.is_some();
        let mut request = self.client.post(uri.as_ref()).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        request = request.headers(custom_headers.into_iter().collect::<HeaderMap>());
        if let Some(session) = session_id {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        let response = request.json(&message).send().await?;
        self.answer(response, &message, has_session).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxedSseResponse, Failure> {
        self.client
            .get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                auth_header,
                custom_headers,
                self.limit,
            )
            .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        self.client.delete_session(uri, session_id, auth_header, custom_headers).await
    }
}

impl Bounded {
    async fn answer(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
        has_session: bool,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            let named = header(&response, &WWW_AUTHENTICATE);
            if status == StatusCode::UNAUTHORIZED {
                self.conduct.challenged(Challenge::read(named.as_deref().unwrap_or_default()));
            }
            let challenge = named.unwrap_or_else(|| format!("HTTP {status}"));
            return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(quote(&challenge))));
        }
        let kind = header(&response, &CONTENT_TYPE).unwrap_or_default();
        let is_json = kind.starts_with(JSON);
        if !status.is_success() {
            return self.refusal(response, message, is_json, has_session).await;
        }
        let session = response.headers().get(HEADER_SESSION_ID);
        let session = session.and_then(|session| session.to_str().ok()).map(str::to_owned);
        if kind.starts_with(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(
                events(response, self.limit, Arc::clone(&self.conduct)),
                session,
            ));
        }
        let is_question = matches!(message, JsonRpcMessage::Request(_));
        if !is_question {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !is_json {
            return Err(StreamableHttpError::UnexpectedContentType(Some(quote(&kind))));
        }
        let body = body(response, self.limit).await?;
        match serde_json::from_slice(&tidy(&body)) {
            Ok(answer) => Ok(StreamableHttpPostResponse::Json(answer, session)),
            Err(_) => {
                let start = String::from_utf8_lossy(&body[..body.len().min(1024)]).into_owned();
                let why = format!("an answer that is not a message: {}", quote(&start));
                Err(StreamableHttpError::UnexpectedServerResponse(why.into()))
            }
        }
    }

    /// An answer with an error status.
    async fn refusal(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
        is_json: bool,
        has_session: bool,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let status = response.status();
        let retry_after = header(&response, &RETRY_AFTER);
        let body = body(response, ERROR_BYTES).await.unwrap_or_default();
        let error = match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(JsonRpcMessage::Error(error)) if is_json => Some(error),
            _ => None,
        };
        // An older server refuses the first question of the new protocol, and cannot say which it was.
        if let JsonRpcMessage::Request(request) = message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
            && status.is_client_error()
            && !has_session
        {
            let error = error.map_or_else(
                || ErrorData::invalid_request(format!("HTTP {status}"), None),
                |error| error.error,
            );
            let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
            return Ok(StreamableHttpPostResponse::Json(answer, None));
        }
        match error {
            Some(error) => Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), None)),
            None => Err(HttpStatusError::new(status.as_u16(), retry_after).into()),
        }
    }
}

fn header(response: &Response, name: &HeaderName) -> Option<String> {
    response.headers().get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

async fn body(mut response: Response, limit: usize) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > limit {
            return Err(too_long(limit).into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn too_long(limit: usize) -> io::Error {
    io::Error::other(format!("it sent a message of more than {limit} bytes"))
}

/// The events of an answer, none longer than the limit.
fn events(response: Response, limit: usize, conduct: Arc<Conduct>) -> BoxedSseResponse {
    struct Reading {
        response: Response,
        event: usize,
        /// Whether the last byte ended a line.
        at_line: bool,
        failed: bool,
        conduct: Arc<Conduct>,
    }
    let start = Reading { response, event: 0, at_line: true, failed: false, conduct };
    let bytes = stream::unfold(start, move |mut reading| async move {
        if reading.failed {
            return None;
        }
        let chunk = match reading.response.chunk().await {
            Ok(chunk) => chunk?,
            Err(error) => {
                reading.failed = true;
                return Some((Err(io::Error::other(error)), reading));
            }
        };
        for byte in &chunk {
            match byte {
                // An empty line ends an event.
                b'\n' if reading.at_line => reading.event = 0,
                b'\n' => reading.at_line = true,
                b'\r' => {}
                _ => {
                    reading.at_line = false;
                    reading.event += 1;
                }
            }
        }
        if reading.event > limit {
            reading.failed = true;
            let error = too_long(limit);
            reading.conduct.ends(error.to_string());
            return Some((Err(error), reading));
        }
        Some((Ok(chunk), reading))
    });
    let events = SseStream::from_bytes_stream(Box::pin(bytes));
    Box::pin(events.map(|event: Result<Sse, SseError>| {
        event.map(|mut event| {
            let tidied = event
                .data
                .as_deref()
                .map(|data| String::from_utf8_lossy(&tidy(data.as_bytes())).into_owned());
            event.data = tidied;
            event
        })
    }))
}
