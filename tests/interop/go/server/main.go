// A server on the Go SDK for the gateway before it: greets, fails, reports progress, has a note.
//
//	server [PORT]	without a port: stdio
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type nothing struct{}

type greeting struct {
	Name string `json:"name"`
}

func text(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: words}}}
}

func hello(_ context.Context, _ *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
	return text("Hello, " + in.Name + "!"), nil, nil
}

func fail(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
	result := text("It did not work")
	result.IsError = true
	return result, nil, nil
}

func steps(ctx context.Context, request *mcp.CallToolRequest, _ nothing) (*mcp.CallToolResult, any, error) {
	if token := request.Params.GetProgressToken(); token != nil {
		for step := 1.0; step <= 3; step++ {
			params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: step, Total: 3}
			if err := request.Session.NotifyProgress(ctx, params); err != nil {
				return nil, nil, err
			}
		}
	}
	return text("Three steps"), nil, nil
}

func newServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "hello", Description: "Greets"}, hello)
	mcp.AddTool(server, &mcp.Tool{Name: "fail", Description: "Fails"}, fail)
	mcp.AddTool(server, &mcp.Tool{Name: "steps", Description: "Reports progress"}, steps)
	server.AddResource(&mcp.Resource{URI: "note://one", Name: "note", MIMEType: "text/plain"},
		func(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			contents := &mcp.ResourceContents{URI: request.Params.URI, MIMEType: "text/plain", Text: "The first note"}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents}}, nil
		})
	return server
}

func main() {
	server := newServer()
	var err error
	if len(os.Args) > 1 {
		handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
		http.Handle("/mcp", handler)
		err = http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
	} else {
		err = server.Run(context.Background(), &mcp.StdioTransport{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
