//go:build unix

package pages

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/internal/test/certtest"
)

// serve is the program under the name of each server of the pages: node, npx, my-server.
func serve() {
	if err := newServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// newServer returns a server with the tools, prompts and resources that the pages use.
func newServer() *mcp.Server {
	type search struct {
		Query  string         `json:"query,omitempty"`
		Filter map[string]any `json:"filter,omitempty"`
		Limit  int            `json:"limit,omitempty"`
	}
	type sum struct {
		Sum int `json:"sum"`
	}
	type numbers struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	safe := &mcp.ToolAnnotations{ReadOnlyHint: true}
	result := func(text string) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "stand-in", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "search", Description: "Search", Annotations: safe}, func(_ context.Context, _ *mcp.CallToolRequest, in search) (*mcp.CallToolResult, any, error) {
		return result("found " + in.Query)
	})
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Add", Annotations: safe}, func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, sum, error) {
		return nil, sum{in.A + in.B}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "review", Description: "Review", Arguments: []*mcp.PromptArgument{{Name: "language", Description: "Language"}}}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Review"}}}}, nil
	})
	s.AddResource(&mcp.Resource{URI: "demo://readme", Name: "readme", MIMEType: "text/plain"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: "readme"}}}, nil
	})
	return s
}

// overHTTPS returns the URL of the server with a certificate of an authority.
func overHTTPS(t *testing.T, by *certtest.Authority) string {
	t.Helper()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newServer() }, &mcp.StreamableHTTPOptions{Stateless: true})
	s := certtest.Serve(&tls.Config{Certificates: []tls.Certificate{by.Issue(t, "server", nil)}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: by.Pool(), MinVersion: tls.VersionTLS12}, handler)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL + "/mcp"
}

// overHTTP returns the URLs of the server and of a collector of spans.
func overHTTP(t *testing.T) (server, collector string) {
	t.Helper()
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newServer() }, &mcp.StreamableHTTPOptions{Stateless: true}))
	c := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		c.CloseClientConnections()
		s.Close()
		c.Close()
	})
	return s.URL + "/mcp", c.URL
}
