//! A server on the Rust SDK for the gateway before it, over stdio: greets, fails, reports progress,
//! has a note.

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
        ReadResourceResponse, ServerConfig,
    },
    service::RequestContext,
    transport::stdio,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

#[derive(Clone)]
struct Server;

/// What the SDK has types for, written as it is sent.
fn made<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn text(words: &str, is_error: bool) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": words}], "isError": is_error})
}

async fn report(context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    for step in 1..=3 {
        let mut params = ProgressNotificationParam::new(token.clone(), f64::from(step));
        params.total = Some(3.0);
        let _ = context.peer.notify_progress(params).await;
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        made(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "resources": {}},
            "serverInfo": {"name": "rust", "version": "1.0.0"},
        }))
        .expect("what a server says of itself")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let plain = json!({"type": "object", "properties": {}});
        let named = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
        made(json!({"resultType": "complete", "tools": [
            {"name": "hello", "description": "Greets", "inputSchema": named},
            {"name": "fail", "description": "Fails", "inputSchema": plain},
            {"name": "steps", "description": "Reports progress", "inputSchema": plain},
        ]}))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = match request.name.as_ref() {
            "hello" => {
                let arguments = request.arguments.unwrap_or_default();
                let name = arguments
                    .get("name")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                text(&format!("Hello, {name}!"), false)
            }
            "fail" => text("It did not work", true),
            "steps" => {
                report(&context).await;
                text("Three steps", false)
            }
            _ => return Err(ErrorData::invalid_params("There is no such tool", None)),
        };
        Ok(CallToolResponse::Complete(made(result)?))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        made(
            json!({"resultType": "complete", "resources": [{"uri": "note://one", "name": "note", "mimeType": "text/plain"}]}),
        )
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents =
            json!([{"uri": request.uri, "mimeType": "text/plain", "text": "The first note"}]);
        Ok(ReadResourceResponse::Complete(made(
            json!({"resultType": "complete", "contents": contents}),
        )?))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let running = Server.serve(stdio()).await.expect("a client that begins");
    let _ = running.waiting().await;
}
