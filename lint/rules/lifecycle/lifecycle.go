// Package lifecycle checks initialization, version negotiation, discovery and shutdown.
package lifecycle

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
)

// Rules check initialization, versions and the era of the server.
var Rules = slices.Concat(handshakeRules, versionRules, discoveryRules, newerRules)

// handshakeRules check the order of the first messages and their members.
var handshakeRules = []lint.Rule{
	{ID: "L001", Limit: lint.OncePerConnection, When: lint.FromClient | lint.NoResponse, Message: beforeInitialize},
	{When: lint.FromServer | lint.Unusual, Line: watchUnreadable},
	{When: lint.FromServer | lint.Unmatched, Message: watchUnreadable},
	{ID: "L002", When: lint.Request | lint.FromClient, Message: func(c *lint.Context) {
		first := c.St.Initialize
		if needsInitialization(c) && first != nil && !first.HasResponse() && first.Row() != c.M.Frame.Row && !lint.Own[handshake](c.St).unreadable {
			c.Report(lint.At("method"))
		}
	}},
	{ID: "L003", When: lint.Request | lint.FromClient, Message: func(c *lint.Context) {
		first := c.St.Initialize
		if needsInitialization(c) && first != nil && first.HasResponse() && !first.IsError && !c.St.Initialized && !lint.Own[handshake](c.St).misnamed {
			c.Report(lint.At("method"))
		}
	}},
	{ID: "L005"},
	{ID: "L006", Methods: []string{"initialized", "notifications/initialize", "client/initialized"}, Message: func(c *lint.Context) {
		if c.M.IsNotification() && c.M.Frame.Dir == transport.Out {
			lint.Own[handshake](c.St).misnamed = true
			c.Report(lint.At("method"), "got", c.M.Method)
		}
	}},
	{ID: "L009"},
	{ID: "L010", Methods: []string{"initialize"}, Message: initializeTwice},
	{ID: "L011", Methods: []string{"notifications/cancelled"}, Message: func(c *lint.Context) {
		first := c.St.Initialize
		if c.M.Frame.Dir == transport.Out && first != nil && jsonrpc.TokenOf(c.M.Get(c.M.Params, "requestId")).Is(first.ID) {
			c.Report(lint.At("params", "requestId"))
		}
	}},
	{ID: "L012", When: lint.FromServer, Message: serverBeforeInitialized},
	{ID: "L013", Methods: []string{"notifications/initialized"}, Message: func(c *lint.Context) {
		first := c.St.Initialize
		if c.M.Frame.Dir == transport.Out && !continuesSession(c) && !lint.Own[handshake](c.St).unreadable && (first == nil || !first.HasResponse() || first.IsError) {
			c.Report(lint.At("method"))
		}
	}},
	{ID: "L014", Methods: []string{"notifications/initialized"}, When: lint.FromClient, Message: func(c *lint.Context) {
		if c.St.Initialized {
			c.Report(lint.At("method"))
		}
	}},
}

// handshake is the state of the initialization.
type handshake struct {
	misnamed bool // the client has sent a misspelled notifications/initialized
	// unreadable reports whether the server has sent, while initialize was pending, something that may be its
	// response: a response with another id, or invalid JSON. Other rules report that, and the client may
	// continue.
	unreadable bool
}

// watchUnreadable records a line or a response that may be the response to initialize.
func watchUnreadable(c *lint.Context) {
	first := c.St.Initialize
	if first != nil && !first.HasResponse() && (c.M != nil || c.F.Envelope.Kind == jsonrpc.Invalid && !c.IsPlainText()) {
		lint.Own[handshake](c.St).unreadable = true
	}
}

// needsInitialization reports a request of the client that must not be sent
// before initialization.
func needsInitialization(c *lint.Context) bool {
	if c.M.Frame.Dir != transport.Out || !c.M.IsRequest() {
		return false
	}
	switch c.M.Method {
	case "initialize", "server/discover", "ping":
		return false
	}
	return !c.M.IsStateless()
}

// continuesSession reports whether the message belongs to an HTTP session whose initialization is not in the
// record.
func continuesSession(c *lint.Context) bool {
	return c.X != nil && c.X.RequestHeader.Get("Mcp-Session-Id") != "" && c.St.Initialize == nil
}

func beforeInitialize(c *lint.Context) {
	if c.St.Initialize != nil || c.M.Method == "" || continuesSession(c) {
		return
	}
	if c.M.IsStateless() || c.St.Revision.IsStateless() {
		return
	}
	switch c.M.Method {
	case "initialize", "server/discover", "ping",
		"notifications/cancelled",                                                                    // allowed for a server/discover request
		"notifications/initialized", "initialized", "notifications/initialize", "client/initialized": // L013, L006
		return
	}
	c.Report(lint.AtPointer("/method"))
}

// initializeTwice allows a second initialize request over HTTP without a session
// id: it opens another session.
func initializeTwice(c *lint.Context) {
	first := c.St.Initialize
	if !c.M.IsRequest() || c.M.Frame.Dir != transport.Out || first == nil || !first.HasResponse() || first.IsError {
		return
	}
	if c.St.Link == lint.HTTP && (c.X == nil || c.X.RequestHeader.Get("Mcp-Session-Id") == "") {
		return
	}
	c.Report(lint.At("method"))
}

// serverBeforeInitialized allows pings, log messages, progress and cancellations.
func serverBeforeInitialized(c *lint.Context) {
	if c.St.Initialized || c.M.IsResponse() || c.M.Method == "" {
		return
	}
	switch c.M.Method {
	case "ping", "notifications/message", "notifications/progress", "notifications/cancelled":
		return
	}
	begun := c.St.Initialize != nil || c.St.Link == lint.Stdio && c.St.Messages[transport.Out] == 0
	if begun && c.M.Revision.Era() != revision.EraStateless {
		c.Report(lint.At("method"))
	}
}
