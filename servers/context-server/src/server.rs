//! The server: it handles the requests of the protocol. Computations run in the queue.

use crate::{
    queue::WorkQueue,
    resources,
    sheet::Shelf,
    tools::{self, Answer},
    transport::Lines,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
        ErrorCode, Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use std::time::Duration;

/// The instructions for a language model.
const INSTRUCTIONS: &str = "\
Rulesheets in the Game Description Language (GDL, KIF syntax): games as logical rules. Every tool takes `rulesheet`: the text itself, or the \
name of a built-in game. The resource `gdl://primer` teaches the language in two pages. To write a game: write the rules, `check` them, \
`fix` what a program can fix, `explain` unclear codes, `simulate` to find problems that only play shows, `play` and `why` to see that the \
rules mean what you intend, `analyze` and `best_move` to see how the game plays. A joint move has a move of every role, in role order.";

/// The server of one client.
#[derive(Clone, Debug)]
struct Server {
    shelf: Shelf,
    queue: WorkQueue,
}

/// Serves a client until its stream ends.
pub(crate) async fn serve(lines: Lines, shelf: Shelf, longest: Duration) {
    let server = Server { shelf, queue: WorkQueue::new(longest) };
    // A stream that ends before a session begins is no error.
    if let Ok(running) = server.serve(lines).await {
        let _ = running.waiting().await;
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("gdl", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    /// Runs a tool. Invalid arguments are answered by a tool result with an error, for the model to
    /// read. Only an unknown tool is an error of the protocol.
    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let read = tools::find(&call.name).ok_or_else(|| {
            let names: Vec<_> = tools::list().into_iter().map(|tool| tool.name).collect();
            let message =
                format!("there is no tool `{}`: the tools are {}", cut(&call.name), names.join(", "));
            ErrorData::invalid_params(message, None)
        })?;
        let shelf = self.shelf.clone();
        let unwanted = context.ct.cancelled();
        let answer = match read(call.arguments.unwrap_or_default()) {
            Ok(work) => self.queue.work(unwanted, move |cancel| work(&shelf, cancel)).await,
            Err(refusal) => Err(refusal),
        };
        Ok(match answer {
            Ok(Answer { text, value }) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(value);
                result
            }
            Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.to_string())]),
        }
        .into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = resources::read(&request.uri).ok_or_else(|| {
            ErrorData::resource_not_found(format!("there is no resource `{}`", cut(&request.uri)), None)
        })?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    /// Rejects unknown requests. Requests of known methods with invalid parameters arrive here too.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = cut(&request.method);
        Err(match method.as_str() {
            "initialize" | "tools/call" | "resources/read" => {
                ErrorData::invalid_params(format!("the parameters of `{method}` are invalid"), None)
            }
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None),
        })
    }
}

/// Truncates a name to 100 characters, for a message to the client.
fn cut(name: &str) -> String {
    name.chars().take(100).collect()
}
