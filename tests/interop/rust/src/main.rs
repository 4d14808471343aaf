//! The checks of ../README.md with the Rust SDK.
//!
//!     interop-rust URL legacy|modern

use std::{
    process::ExitCode,
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient,
    model::{
        CallToolRequestParams, CallToolResult, ClientRequest, ErrorCode, ProgressNotificationParam,
        ProtocolVersion, Request,
    },
    service::{NotificationContext, PeerRequestOptions, RunningService, ServiceError},
    transport::StreamableHttpClientTransport,
};
use serde_json::{Value, json};

const SDK_VERSION: &str = "3.8.0"; // as Cargo.toml pins it

type Outcome = Result<(), String>;

#[derive(Clone, Default)]
struct Handler {
    progress: Arc<Mutex<Vec<f64>>>,
}

impl ClientHandler for Handler {
    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.progress.lock().unwrap().push(params.progress);
    }
}

struct Checks {
    client: RunningService<RoleClient, Handler>,
    version: &'static str,
}

fn call(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

fn describe(error: ServiceError) -> String {
    error.to_string()
}

impl Checks {
    async fn result(&self, tool: &'static str, arguments: Value) -> Result<CallToolResult, String> {
        self.client
            .call_tool(call(tool, arguments))
            .await
            .map_err(describe)
    }

    async fn text(&self, tool: &'static str, arguments: Value) -> Result<String, String> {
        let result = self.result(tool, arguments).await?;
        let text = result.content.first().and_then(|content| content.as_text());
        match (result.is_error, text) {
            (Some(true), _) | (_, None) => Err(format!("{tool} failed: {result:?}")),
            (_, Some(text)) => Ok(text.text.clone()),
        }
    }

    async fn expect_text(&self, tool: &'static str, arguments: Value, want: &str) -> Outcome {
        let got = self.text(tool, arguments).await?;
        ensure(got == want, || format!("{tool}: {got:?}"))
    }

    async fn negotiates(&self) -> Outcome {
        let info = self.client.peer_info();
        let version = info.map_or_else(String::new, |info| info.protocol_version.to_string());
        println!("protocol {version}");
        ensure(version == self.version, || format!("negotiated {version}"))
    }

    async fn lists(&self) -> Outcome {
        let tools = self.client.list_all_tools().await.map_err(describe)?;
        ensure(tools.iter().any(|tool| tool.name == "greet"), || {
            "no tool greet".into()
        })?;
        let resources = self.client.list_all_resources().await.map_err(describe)?;
        ensure(
            resources
                .iter()
                .any(|resource| resource.uri == "test://static-text"),
            || "no resource test://static-text".into(),
        )?;
        let prompts = self.client.list_all_prompts().await.map_err(describe)?;
        ensure(
            prompts
                .iter()
                .any(|prompt| prompt.name == "test_simple_prompt"),
            || "no prompt test_simple_prompt".into(),
        )
    }

    async fn calls(&self) -> Outcome {
        self.expect_text(
            "test_simple_text",
            json!({}),
            "This is a simple text response for testing.",
        )
        .await?;
        self.expect_text("greet", json!({"name": "Zoë ☕"}), "Hello, Zoë ☕!")
            .await
    }

    async fn reports_progress(&self) -> Outcome {
        // The SDK puts a progress token into every request.
        let seen = &self.client.service().progress;
        seen.lock().unwrap().clear();
        self.result("test_tool_with_progress", json!({})).await?;
        eventually("0, 50 and 100 are reported in this order", async || {
            Ok(*seen.lock().unwrap() == [0.0, 50.0, 100.0])
        })
        .await
    }

    async fn cancels(&self) -> Outcome {
        let arguments = json!({"seconds": 25, "label": "unwanted"});
        let request = ClientRequest::CallToolRequest(Request::new(call("slow_compute", arguments)));
        let options = PeerRequestOptions::no_options();
        let handle = self
            .client
            .send_cancellable_request(request, options)
            .await
            .map_err(describe)?;
        self.eventually_running("1").await?;
        handle
            .cancel(Some("changed my mind".into()))
            .await
            .map_err(describe)?;
        self.eventually_running("0").await
    }

    async fn eventually_running(&self, count: &str) -> Outcome {
        eventually("the count of running calls is right", async || {
            Ok(self.text("running_calls", json!({})).await? == count)
        })
        .await
    }

    async fn refuses_an_unknown_tool(&self) -> Outcome {
        match self.client.call_tool(call("no_such_tool", json!({}))).await {
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::INVALID_PARAMS => Ok(()),
            other => Err(format!("not refused with -32602: {other:?}")),
        }
    }

    async fn reports_a_failed_tool(&self) -> Outcome {
        for (tool, arguments) in [
            ("test_error_handling", json!({})),
            ("greet", json!({"name": 7})),
        ] {
            let result = self.result(tool, arguments).await?;
            ensure(result.is_error == Some(true), || {
                format!("{tool} did not fail")
            })?;
        }
        Ok(())
    }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { Err(otherwise()) }
}

async fn eventually(what: &str, condition: impl AsyncFn() -> Result<bool, String>) -> Outcome {
    for _ in 0..100 {
        if condition().await? {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    Err(format!("not in 3 s: {what}"))
}

async fn report(name: &str, check: impl Future<Output = Outcome>) -> bool {
    let limited = tokio::time::timeout(Duration::from_secs(20), check).await;
    match limited.unwrap_or_else(|_| Err("no end in 20 s".into())) {
        Ok(()) => println!("ok {name}"),
        Err(error) => {
            println!("FAILED {name}: {error}");
            return false;
        }
    }
    true
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    println!("sdk rust rmcp {SDK_VERSION}");
    let (version, lifecycle) = match arguments[2].as_str() {
        "legacy" => ("2025-11-25", ClientLifecycleMode::Initialize),
        _ => (
            "2026-07-28",
            ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        ),
    };
    let transport = StreamableHttpClientTransport::from_uri(arguments[1].as_str());
    let client = match Handler::default()
        .serve_with_lifecycle(transport, lifecycle)
        .await
    {
        Ok(client) => client,
        Err(error) => {
            println!("FAILED connects: {error}");
            return ExitCode::FAILURE;
        }
    };
    let checks = Checks { client, version };
    let mut passed = report("negotiates", checks.negotiates()).await;
    passed &= report("lists", checks.lists()).await;
    passed &= report("calls", checks.calls()).await;
    passed &= report("reports_progress", checks.reports_progress()).await;
    passed &= report("cancels", checks.cancels()).await;
    passed &= report("refuses_an_unknown_tool", checks.refuses_an_unknown_tool()).await;
    passed &= report("reports_a_failed_tool", checks.reports_a_failed_tool()).await;
    let _ = checks.client.cancel().await;
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
