package agent

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	jsonrpc2 "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addResources offers frames and recordings as resources.
func (a *agent) addResources(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "frame", Title: "Frame", URITemplate: "mcptea://{connection}/frame/{number}", MIMEType: "application/json",
		Description: "The bytes of a recorded frame",
	}, a.frameResource)
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "traffic", Title: "Traffic", URITemplate: "mcptea://{connection}/traffic", MIMEType: "text/plain",
		Description: "The newest 500 frames of a connection, one line each",
	}, a.trafficResource)
}

var errNoURI = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "a URI is mcptea://CONNECTION/frame/NUMBER or mcptea://CONNECTION/traffic"}

func (a *agent) frameResource(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	u, err := url.Parse(r.Params.URI)
	if err != nil {
		return nil, errNoURI
	}
	number, err := strconv.ParseInt(strings.TrimPrefix(u.Path, "/frame/"), 10, 32)
	if err != nil {
		return nil, errNoURI
	}
	c, err := a.find(u.Host)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	_, body, err := c.body(int32(number))
	if err != nil {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	text, _ := part(body, 0, maxText)
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: text}}}, nil
}

func (a *agent) trafficResource(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	u, err := url.Parse(r.Params.URI)
	if err != nil {
		return nil, errNoURI
	}
	c, err := a.use(ctx, u.Host)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	out, err := turn{Context: ctx, connection: c}.traffic(trafficInput{Limit: 500})
	if err != nil {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/plain", Text: strings.Join(out.Frames, "\n")}}}, nil
}
