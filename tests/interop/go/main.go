// The checks of ../README.md with the Go SDK.
//
//	go run . URL legacy|modern
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const sdkModule = "github.com/modelcontextprotocol/go-sdk"

type checks struct {
	session *mcp.ClientSession
	version string

	mutex    sync.Mutex
	progress []float64
}

func (c *checks) text(ctx context.Context, tool string, arguments map[string]any) (string, error) {
	params := &mcp.CallToolParams{Name: tool}
	if arguments != nil {
		params.Arguments = arguments
	}
	result, err := c.session.CallTool(ctx, params)
	if err != nil {
		return "", err
	}
	text, isText := result.Content[0].(*mcp.TextContent)
	if result.IsError || !isText {
		return "", fmt.Errorf("%s failed: %v", tool, result.Content[0])
	}
	return text.Text, nil
}

func (c *checks) expectText(ctx context.Context, tool string, arguments map[string]any, want string) error {
	got, err := c.text(ctx, tool, arguments)
	if err == nil && got != want {
		err = fmt.Errorf("%s: %q", tool, got)
	}
	return err
}

func (c *checks) negotiates(context.Context) error {
	version := c.session.InitializeResult().ProtocolVersion
	fmt.Println("protocol", version)
	if version != c.version {
		return fmt.Errorf("negotiated %s", version)
	}
	return nil
}

func (c *checks) lists(ctx context.Context) error {
	tools, err := c.session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(tools.Tools, func(tool *mcp.Tool) bool { return tool.Name == "greet" }) {
		return errors.New("no tool greet")
	}
	resources, err := c.session.ListResources(ctx, nil)
	if err != nil {
		return err
	}
	isStaticText := func(resource *mcp.Resource) bool { return resource.URI == "test://static-text" }
	if !slices.ContainsFunc(resources.Resources, isStaticText) {
		return errors.New("no resource test://static-text")
	}
	prompts, err := c.session.ListPrompts(ctx, nil)
	if err != nil {
		return err
	}
	isSimple := func(prompt *mcp.Prompt) bool { return prompt.Name == "test_simple_prompt" }
	if !slices.ContainsFunc(prompts.Prompts, isSimple) {
		return errors.New("no prompt test_simple_prompt")
	}
	return nil
}

func (c *checks) calls(ctx context.Context) error {
	return errors.Join(
		c.expectText(ctx, "test_simple_text", nil, "This is a simple text response for testing."),
		c.expectText(ctx, "greet", map[string]any{"name": "Zoë ☕"}, "Hello, Zoë ☕!"))
}

func (c *checks) reportsProgress(ctx context.Context) error {
	params := &mcp.CallToolParams{Name: "test_tool_with_progress", Meta: mcp.Meta{}}
	params.SetProgressToken("interop")
	if _, err := c.session.CallTool(ctx, params); err != nil {
		return err
	}
	return eventually(func() (bool, error) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		return slices.Equal(c.progress, []float64{0, 50, 100}), nil
	}, "0, 50 and 100 are reported in this order")
}

func (c *checks) cancels(ctx context.Context) error {
	call, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := c.text(call, "slow_compute", map[string]any{"seconds": 25, "label": "unwanted"})
		ended <- err
	}()
	if err := c.eventuallyRunning(ctx, "1"); err != nil {
		return err
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		return fmt.Errorf("the call ended with %v", err)
	}
	return c.eventuallyRunning(ctx, "0")
}

func (c *checks) eventuallyRunning(ctx context.Context, count string) error {
	return eventually(func() (bool, error) {
		running, err := c.text(ctx, "running_calls", nil)
		return running == count, err
	}, count+" calls run")
}

func (c *checks) refusesAnUnknownTool(ctx context.Context) error {
	_, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: "no_such_tool"})
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != -32602 {
		return fmt.Errorf("not refused with -32602: %v", err)
	}
	return nil
}

func (c *checks) reportsAFailedTool(ctx context.Context) error {
	for _, params := range []*mcp.CallToolParams{
		{Name: "test_error_handling"},
		{Name: "greet", Arguments: map[string]any{"name": 7}},
	} {
		result, err := c.session.CallTool(ctx, params)
		if err != nil {
			return err
		}
		if !result.IsError {
			return fmt.Errorf("%s did not fail", params.Name)
		}
	}
	return nil
}

func eventually(condition func() (bool, error), what string) error {
	for range 100 {
		if holds, err := condition(); holds || err != nil {
			return err
		}
		time.Sleep(30 * time.Millisecond)
	}
	return errors.New("not in 3 s: " + what)
}

func sdkVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == sdkModule {
			return module.Version
		}
	}
	return "unknown"
}

func run(ctx context.Context, url, era string) error {
	fmt.Println("sdk", "go go-sdk", sdkVersion())
	version := map[string]string{"legacy": "2025-11-25", "modern": "2026-07-28"}[era]
	c := &checks{version: version}
	client := mcp.NewClient(&mcp.Implementation{Name: "interop-go", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.progress = append(c.progress, request.Params.Progress)
		},
	})
	transport := &mcp.StreamableClientTransport{Endpoint: url}
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return err
	}
	defer session.Close()
	c.session = session
	return runAll(ctx, []check{
		{"negotiates", c.negotiates},
		{"lists", c.lists},
		{"calls", c.calls},
		{"reports_progress", c.reportsProgress},
		{"cancels", c.cancels},
		{"refuses_an_unknown_tool", c.refusesAnUnknownTool},
		{"reports_a_failed_tool", c.reportsAFailedTool},
	})
}

type check struct {
	name string
	run  func(context.Context) error
}

func runAll(ctx context.Context, all []check) error {
	var failed error
	for _, check := range all {
		limited, cancel := context.WithTimeout(ctx, 20*time.Second)
		err := check.run(limited)
		cancel()
		if err != nil {
			failed = err
			fmt.Printf("FAILED %s: %v\n", check.name, err)
		} else {
			fmt.Println("ok", check.name)
		}
	}
	return failed
}

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
