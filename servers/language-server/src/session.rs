//! A session: the conversation with one client, which receives messages and sends answers and
//! diagnostics.
//!
//! Messages are answered in order. A session ends only with `exit` or the end of its stream:
//! invalid messages are answered with an error. A text is parsed when no message waits, so of
//! several changes only the last is parsed. Then its diagnostics are published, and the worker
//! grounds the rules. The next change cancels the worker.

use crate::{
    document::Document,
    features,
    job::{Finding, Job},
    refusal::Refusal,
    transport::{Event, Output},
    worker::Worker,
};
use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, CompletionOptions, CompletionParams,
    DefinitionParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentFormattingParams, DocumentHighlightParams, DocumentSymbolParams, FoldingRangeParams, HoverParams,
    InlayHintParams, ReferenceParams, RenameOptions, RenameParams, ServerCapabilities,
    TextDocumentContentChangeEvent, TextDocumentPositionParams, TextDocumentSyncKind, Uri,
};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    io,
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{Receiver, TryRecvError},
    },
};

/// The greatest number of open documents.
const MOST_DOCUMENTS: usize = 1_000;

/// The most bytes of all open documents; fewer in unit tests, which would take long to fill them.
const MOST_TEXT: usize = if cfg!(test) { 1 << 10 } else { 256 << 20 };

/// The stage of the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SessionStage {
    New,
    Running,
    ShutDown,
}

/// The parameters of `initialize` that the server reads. All others are ignored. The capabilities
/// have no type, since clients send many, some of them malformed.
#[derive(Deserialize)]
struct InitializeParams {
    capabilities: Value,
}

/// The conversation with one client.
pub(crate) struct Session<O> {
    pub(crate) output: O,
    pub(crate) worker: Worker,
    stage: SessionStage,
    /// True if the client supports snippets: completions with places to fill.
    snippets: bool,
    documents: BTreeMap<String, Document>,
    /// The received events that have not been handled.
    waiting: VecDeque<Event>,
}

impl<O: Output> Session<O> {
    pub(crate) fn new(output: O, worker: Worker) -> Self {
        let (documents, waiting) = (BTreeMap::new(), VecDeque::new());
        Self { output, worker, stage: SessionStage::New, snippets: false, documents, waiting }
    }

    /// Handles events until the end. Returns true if the client has sent `shutdown`.
    pub(crate) fn run(mut self, inbox: &Receiver<Event>) -> io::Result<bool> {
        loop {
            // All events that have arrived are received first, so that cancelled requests are
            // skipped.
            let mut gone = false;
            while self.waiting.len() < crate::WAITING {
                match inbox.try_recv() {
                    Ok(event) => self.waiting.push_back(event),
                    Err(error) => {
                        gone = error == TryRecvError::Disconnected;
                        break;
                    }
                }
            }
            let event = match self.waiting.pop_front() {
                Some(event) => event,
                None if gone => Event::End,
                None => {
                    self.look()?;
                    inbox.recv().unwrap_or(Event::End)
                }
            };
            if !self.take(event)? {
                return Ok(self.stage == SessionStage::ShutDown);
            }
        }
    }

    /// Handles an event. Returns false if it ends the session.
    pub(crate) fn take(&mut self, event: Event) -> io::Result<bool> {
        match event {
            Event::End => return Ok(false),
            Event::Message(Message::Notification(notification)) if notification.method == "exit" => {
                return Ok(false);
            }
            Event::Message(Message::Request(request)) => self.request(request)?,
            Event::Message(Message::Notification(notification)) => self.notification(notification)?,
            // The server sends no requests, so it expects no responses.
            Event::Message(Message::Response(_)) => {}
            Event::Malformed(id, code, message) => {
                self.refuse(id.as_ref(), &Refusal { code, message })?;
            }
            Event::Found(finding) => self.found(finding)?,
        }
        Ok(true)
    }

    fn answer(&mut self, id: &RequestId, result: &Value) -> io::Result<()> {
        self.output.send(json!({ "id": id, "result": result }))
    }

    fn refuse(&mut self, id: Option<&RequestId>, refusal: &Refusal) -> io::Result<()> {
        let error = json!({ "code": refusal.code as i32, "message": refusal.message });
        self.output.send(json!({ "id": id, "error": error }))
    }

    fn notify(&mut self, method: &str, params: impl Serialize) -> io::Result<()> {
        self.output.send(json!({ "method": method, "params": params }))
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let Request { id, method, params } = request;
        let cancelled = self.waiting.iter().any(|event| {
            matches!(event, Event::Message(Message::Notification(later))
                if later.method == "$/cancelRequest" && later.params.get("id") == Some(&json!(id)))
        });
        let refusal = |code, message: &str| Err(Refusal { code, message: message.to_owned() });
        let result = match (self.stage, method.as_str()) {
            (SessionStage::New, "initialize") => self.initialize(params),
            (SessionStage::New, _) => {
                refusal(ErrorCode::ServerNotInitialized, "the first request is `initialize`")
            }
            (SessionStage::ShutDown, _) => refusal(ErrorCode::InvalidRequest, "the session was shut down"),
            (SessionStage::Running, "initialize") => {
                refusal(ErrorCode::InvalidRequest, "`initialize` was said before")
            }
            (SessionStage::Running, "shutdown") => {
                self.stage = SessionStage::ShutDown;
                Ok(Value::Null)
            }
            (SessionStage::Running, _) if cancelled => {
                refusal(ErrorCode::RequestCanceled, "cancelled by the client")
            }
            (SessionStage::Running, method) => self.question(method, params),
        };
        match result {
            Ok(result) => self.answer(&id, &result),
            Err(refusal) => self.refuse(Some(&id), &refusal),
        }
    }

    fn initialize(&mut self, params: Value) -> Result<Value, Refusal> {
        let InitializeParams { capabilities: client } = read(params)?;
        self.stage = SessionStage::Running;
        self.snippets = client
            .pointer("/textDocument/completion/completionItem/snippetSupport")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        let version = env!("CARGO_PKG_VERSION");
        Ok(json!({ "capabilities": capabilities(), "serverInfo": { "name": "gdl", "version": version } }))
    }

    /// Answers a request about a document.
    fn question(&self, method: &str, params: Value) -> Result<Value, Refusal> {
        match method {
            "textDocument/hover" => {
                let HoverParams { text_document_position_params: at, .. } = read(params)?;
                write(features::hover::hover(self.document(&at.text_document.uri)?, at.position))
            }
            "textDocument/definition" => {
                let DefinitionParams { text_document_position_params: at, .. } = read(params)?;
                write(features::places::definitions(self.document(&at.text_document.uri)?, at.position))
            }
            "textDocument/references" => {
                let ReferenceParams { text_document_position_params: at, context, .. } = read(params)?;
                let document = self.document(&at.text_document.uri)?;
                write(features::places::references(document, at.position, context.include_declaration))
            }
            "textDocument/documentHighlight" => {
                let DocumentHighlightParams { text_document_position_params: at, .. } = read(params)?;
                write(features::places::highlights(self.document(&at.text_document.uri)?, at.position))
            }
            "textDocument/prepareRename" => {
                let TextDocumentPositionParams { text_document, position } = read(params)?;
                write(features::rename::prepare(self.document(&text_document.uri)?, position)?)
            }
            "textDocument/rename" => {
                let RenameParams { text_document_position_params: at, new_name, .. } = read(params)?;
                write(features::rename::rename(
                    self.document(&at.text_document.uri)?,
                    at.position,
                    &new_name,
                )?)
            }
            "textDocument/completion" => {
                let CompletionParams { text_document_position_params: at, .. } = read(params)?;
                let document = self.document(&at.text_document.uri)?;
                write(features::completion::complete(document, at.position, self.snippets))
            }
            "textDocument/formatting" => {
                let DocumentFormattingParams { text_document, .. } = read(params)?;
                write(features::formatting::format(self.document(&text_document.uri)?)?)
            }
            "textDocument/foldingRange" => {
                let FoldingRangeParams { text_document, .. } = read(params)?;
                write(features::folding::fold(self.document(&text_document.uri)?))
            }
            "textDocument/inlayHint" => {
                let InlayHintParams { text_document, range, .. } = read(params)?;
                write(features::hints::hints(self.document(&text_document.uri)?, range))
            }
            "textDocument/documentSymbol" => {
                let DocumentSymbolParams { text_document, .. } = read(params)?;
                write(features::outline::outline(self.document(&text_document.uri)?))
            }
            "textDocument/codeAction" => {
                let CodeActionParams { text_document, range, context, .. } = read(params)?;
                write(features::actions::actions(self.document(&text_document.uri)?, range, &context))
            }
            _ => {
                Err(Refusal { code: ErrorCode::MethodNotFound, message: format!("`{method}` is not known") })
            }
        }
    }

    fn document(&self, uri: &Uri) -> Result<&Document, Refusal> {
        let closed =
            || Refusal { code: ErrorCode::InvalidParams, message: format!("`{}` is not open", uri.as_ref()) };
        self.documents.get(uri.as_ref()).ok_or_else(closed)
    }

    fn notification(&mut self, Notification { method, params }: Notification) -> io::Result<()> {
        if self.stage != SessionStage::Running {
            return Ok(());
        }
        // Invalid notifications are ignored.
        match method.as_str() {
            "textDocument/didOpen" => {
                let Ok(DidOpenTextDocumentParams { text_document: opened }) = read(params) else {
                    return Ok(());
                };
                self.open(opened.uri, opened.version, opened.text)
            }
            "textDocument/didChange" => {
                let Ok(params) = read::<DidChangeTextDocumentParams>(params) else { return Ok(()) };
                let uri = params.text_document.text_document_identifier.uri;
                let version = params.text_document.version;
                // The server has requested whole texts, so the last one counts.
                let last = params.content_changes.into_iter().rev().find_map(|change| match change {
                    TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                        Some(whole)
                    }
                    TextDocumentContentChangeEvent::TextDocumentContentChangePartial(_) => None,
                });
                match last {
                    Some(whole) if self.documents.contains_key(uri.as_ref()) => {
                        self.open(uri, version, whole.text)
                    }
                    _ => Ok(()),
                }
            }
            "textDocument/didClose" => {
                let Ok(DidCloseTextDocumentParams { text_document }) = read(params) else { return Ok(()) };
                self.close(&text_document.uri)
            }
            _ => Ok(()),
        }
    }

    /// Opens a document, or replaces the earlier version of it.
    fn open(&mut self, uri: Uri, version: i32, text: String) -> io::Result<()> {
        let before = self.documents.remove(uri.as_ref());
        if let Some(before) = &before {
            before.called_off.store(true, Ordering::Relaxed);
        }
        let bytes: usize = self.documents.values().map(|document| document.text().len()).sum();
        if self.documents.len() >= MOST_DOCUMENTS || bytes + text.len() > MOST_TEXT {
            if before.is_some() {
                self.clear(&uri)?;
            }
            let message =
                format!("{} is not checked: the open rulesheets are too many or too large", uri.as_ref());
            return self.notify("window/showMessage", json!({ "type": 2, "message": message }));
        }
        self.documents.insert(uri.as_ref().to_owned(), Document::new(uri, version, text));
        Ok(())
    }

    fn close(&mut self, uri: &Uri) -> io::Result<()> {
        let Some(document) = self.documents.remove(uri.as_ref()) else { return Ok(()) };
        document.called_off.store(true, Ordering::Relaxed);
        self.clear(uri)
    }

    /// Removes the published diagnostics of a document that is not checked any more.
    fn clear(&mut self, uri: &Uri) -> io::Result<()> {
        self.notify("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": [] }))
    }

    /// Publishes the diagnostics of changed texts, and submits the texts without errors to the
    /// worker.
    pub(crate) fn look(&mut self) -> io::Result<()> {
        let new: Vec<String> =
            self.documents.iter().filter(|(_, d)| d.is_new).map(|(uri, _)| uri.clone()).collect();
        for uri in new {
            let Some(document) = self.documents.get_mut(&uri) else { continue };
            document.is_new = false;
            if !document.reading().has_errors {
                let (source, called_off) = (document.source.clone(), document.called_off.clone());
                self.worker.submit(Job { uri, source, called_off });
            }
            let params = features::diagnostics::publish(document);
            self.notify("textDocument/publishDiagnostics", params)?;
        }
        Ok(())
    }

    /// Publishes the diagnostics of a job, unless its text has changed, or parsing has found the
    /// same diagnostics.
    fn found(&mut self, Finding { job, diagnostics }: Finding) -> io::Result<()> {
        let document =
            self.documents.get_mut(&job.uri).filter(|document| Arc::ptr_eq(&document.source, &job.source));
        let Some(document) = document else { return Ok(()) };
        let found = features::diagnostics::settle(&diagnostics);
        if found == document.reading().diagnostics {
            return Ok(());
        }
        document.found = Some(found);
        let params = features::diagnostics::publish(document);
        self.notify("textDocument/publishDiagnostics", params)
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    serde_json::from_value(params)
        .map_err(|error| Refusal { code: ErrorCode::InvalidParams, message: error.to_string() })
}

fn write(result: impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(result)
        .map_err(|error| Refusal { code: ErrorCode::InternalError, message: error.to_string() })
}

/// Returns the capabilities of the server.
fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncKind::Full.into()),
        hover_provider: Some(true.into()),
        definition_provider: Some(true.into()),
        references_provider: Some(true.into()),
        document_highlight_provider: Some(true.into()),
        rename_provider: Some(
            RenameOptions { prepare_provider: Some(true), ..RenameOptions::default() }.into(),
        ),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec!["(".to_owned(), "?".to_owned()]),
            ..CompletionOptions::default()
        }),
        document_formatting_provider: Some(true.into()),
        folding_range_provider: Some(true.into()),
        inlay_hint_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        code_action_provider: Some(
            CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QuickFix, CodeActionKind::SourceFixAll]),
                ..CodeActionOptions::default()
            }
            .into(),
        ),
        ..ServerCapabilities::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of a session.
    #[derive(Default)]
    struct Sent(Vec<Value>);

    impl Output for Sent {
        fn send(&mut self, message: Value) -> io::Result<()> {
            self.0.push(message);
            Ok(())
        }
    }

    #[test]
    fn a_text_that_grew_too_large_keeps_no_diagnostics() {
        let mut session = Session::new(Sent::default(), Worker::Queue(VecDeque::new()));
        let uri = |name: &str| -> Uri { serde_json::from_value(json!(name)).expect("an address") };
        session.open(uri("a.kif"), 1, "(role".to_owned()).expect("no stream");
        session.look().expect("no stream");
        let published = session.output.0.pop().expect("diagnostics");
        assert_eq!(published["params"]["diagnostics"].as_array().map(Vec::len), Some(1), "{published}");
        let large = String::from_utf8(vec![0; MOST_TEXT - 8]).expect("ASCII");
        session.open(uri("b.kif"), 1, large).expect("no stream");
        assert!(session.output.0.is_empty());
        session.open(uri("a.kif"), 2, "(role white".to_owned()).expect("no stream");
        let [published, message] = &session.output.0[..] else { panic!("{:?}", session.output.0) };
        assert_eq!(published["method"], "textDocument/publishDiagnostics");
        assert_eq!(published["params"], json!({ "uri": "a.kif", "diagnostics": [] }));
        assert_eq!(message["method"], "window/showMessage");
    }
}
