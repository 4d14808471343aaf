// The checks of ../README.md with the Java SDK, which knows only the legacy revisions and has no way
// to cancel a call.
//
//   java -cp 'LIBRARIES/*' Client.java URL legacy

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

class Client {
  interface Check {
    void run() throws Exception;
  }

  private final List<Double> progress = new CopyOnWriteArrayList<>();
  private final McpSyncClient client;
  private boolean failed = false;

  Client(String url) {
    var uri = URI.create(url);
    var origin = uri.getScheme() + "://" + uri.getAuthority();
    var transport = HttpClientStreamableHttpTransport.builder(origin).endpoint(uri.getPath()).build();
    client =
        McpClient.sync(transport)
            .requestTimeout(Duration.ofSeconds(20))
            .progressConsumer(notification -> progress.add(notification.progress()))
            .build();
  }

  void negotiates() {
    var version = client.initialize().protocolVersion();
    System.out.println("protocol " + version);
    expect(version.equals("2025-11-25"), version);
  }

  void lists() {
    expect(client.listTools().tools().stream().anyMatch(tool -> tool.name().equals("greet")), "no tool");
    expect(
        client.listResources().resources().stream().anyMatch(r -> r.uri().equals("test://static-text")),
        "no resource");
    expect(
        client.listPrompts().prompts().stream().anyMatch(p -> p.name().equals("test_simple_prompt")),
        "no prompt");
  }

  void calls() {
    expectText("test_simple_text", Map.of(), "This is a simple text response for testing.");
    expectText("greet", Map.of("name", "Zoë ☕"), "Hello, Zoë ☕!");
  }

  void reportsProgress() throws InterruptedException {
    var name = "test_tool_with_progress";
    client.callTool(McpSchema.CallToolRequest.builder(name).progressToken("interop").build());
    var expected = List.of(0.0, 50.0, 100.0);
    for (int i = 0; i < 100 && !progress.equals(expected); i++) Thread.sleep(30);
    expect(progress.equals(expected), progress.toString());
  }

  void refusesAnUnknownTool() {
    try {
      expect(false, call("no_such_tool", Map.of()).toString());
    } catch (McpError error) {
      expect(error.getJsonRpcError().code() == -32602, error.toString());
    }
  }

  void reportsAFailedTool() {
    expect(call("test_error_handling", Map.of()).isError(), "did not fail");
    expect(call("greet", Map.of("name", 7)).isError(), "took a bad argument");
  }

  private McpSchema.CallToolResult call(String tool, Map<String, Object> arguments) {
    return client.callTool(McpSchema.CallToolRequest.builder(tool).arguments(arguments).build());
  }

  private void expectText(String tool, Map<String, Object> arguments, String want) {
    var got = ((McpSchema.TextContent) call(tool, arguments).content().get(0)).text();
    expect(got.equals(want), tool + ": " + got);
  }

  private static void expect(boolean holds, String otherwise) {
    if (!holds) throw new AssertionError(otherwise);
  }

  private void report(String name, Check check) {
    try {
      check.run();
      System.out.println("ok " + name);
    } catch (Exception | AssertionError error) {
      failed = true;
      System.out.println("FAILED " + name + ": " + error);
    }
  }

  private boolean runAll() {
    report("negotiates", this::negotiates);
    report("lists", this::lists);
    report("calls", this::calls);
    report("reports_progress", this::reportsProgress);
    report("refuses_an_unknown_tool", this::refusesAnUnknownTool);
    report("reports_a_failed_tool", this::reportsAFailedTool);
    client.closeGracefully();
    return !failed;
  }

  public static void main(String[] arguments) {
    System.out.println("sdk java mcp 2.1.0"); // as pom.xml pins it
    System.exit(new Client(arguments[0]).runAll() ? 0 : 1);
  }
}
