package lint

import (
	"slices"
	"strings"

	"mcptea/client/revision"
	"mcptea/client/transport"
)

// lifecycleRules judge how a connection begins, and which revision and era it is of.
var lifecycleRules = slices.Concat(handshakeRules, versionRules, discoveryRules, newerRules)

// handshakeRules judge the order of the first messages, and what stands in them.
var handshakeRules = []rule{
	{id: "L001", message: beforeInitialize},
	{id: "L002", message: func(c *Context) {
		first := c.St.Initialize
		if c.isWork() && first != nil && !first.Answered && first.Row != c.M.Frame.Row {
			c.Report(At("method"))
		}
	}},
	{id: "L003", message: func(c *Context) {
		first := c.St.Initialize
		if c.isWork() && first != nil && first.Answered && !first.Err && !c.St.Initialized && !Own[handshake](c.St).misnamed {
			c.Report(At("method"))
		}
	}},
	{id: "L005", methods: []string{"initialize"}, message: func(c *Context) {
		if c.M.IsRequest() && c.M.Frame.Dir == transport.Out {
			c.lacking("params", c.M.Params, "clientInfo")
		}
	}},
	{id: "L006", methods: []string{"initialized", "notifications/initialize", "client/initialized"}, message: func(c *Context) {
		if c.M.IsNotification() && c.M.Frame.Dir == transport.Out {
			Own[handshake](c.St).misnamed = true
			c.Report(At("method"), "got", c.M.Method)
		}
	}},
	{id: "L009", methods: []string{"initialize"}, message: func(c *Context) {
		if c.M.IsResult() && c.M.Frame.Dir == transport.In && Kind(c.M.Result) == "object" {
			c.lacking("result", c.M.Result, "serverInfo")
		}
	}},
	{id: "L010", methods: []string{"initialize"}, message: initializeTwice},
	{id: "L011", methods: []string{"notifications/cancelled"}, message: func(c *Context) {
		first := c.St.Initialize
		if c.M.Frame.Dir == transport.Out && first != nil && first.Waits() && string(Member(c.M.Params, "requestId")) == first.ID {
			c.Report(At("params", "requestId"))
		}
	}},
	{id: "L012", message: serverTooEarly},
	{id: "L013", methods: []string{"notifications/initialized"}, message: func(c *Context) {
		first := c.St.Initialize
		if c.M.Frame.Dir == transport.Out && !c.goesOn() && (first == nil || !first.Answered || first.Err) {
			c.Report(At("method"))
		}
	}},
	{id: "L014", methods: []string{"notifications/initialized"}, message: func(c *Context) {
		if c.M.Frame.Dir == transport.Out && c.St.Initialized {
			c.Report(At("method"))
		}
	}},
}

// handshake is what is remembered of how the connection began.
type handshake struct {
	early    bool // L001 was said
	misnamed bool // the client has sent what it takes for notifications/initialized
}

// isWork reports a request of the client that has to wait for the handshake.
func (c *Context) isWork() bool {
	if c.M.Frame.Dir != transport.Out || !c.M.IsRequest() {
		return false
	}
	switch c.M.Method {
	case "initialize", "server/discover", "ping":
		return false
	}
	return !c.M.Modern()
}

// goesOn reports a message of an HTTP session that had begun before anything
// was seen of it.
func (c *Context) goesOn() bool {
	return c.X != nil && c.X.RequestHeader.Get("Mcp-Session-Id") != "" && c.St.Initialize == nil
}

func beforeInitialize(c *Context) {
	if c.St.Initialize != nil || c.M.Frame.Dir != transport.Out || c.M.IsAnswer() || c.M.Method == "" || c.goesOn() {
		return
	}
	if c.M.Modern() || c.St.Revision.IsStateless() {
		return
	}
	switch c.M.Method {
	case "initialize", "server/discover", "ping",
		"notifications/cancelled",                                                                    // of a question about the era
		"notifications/initialized", "initialized", "notifications/initialize", "client/initialized": // L013, L006
		return
	}
	if h := Own[handshake](c.St); !h.early {
		h.early = true
		c.Report(At("method"))
	}
}

// lacking finds what the two messages of the handshake must have.
func (c *Context) lacking(member string, object []byte, info string) {
	if object == nil {
		c.Report(At(member), "path", member)
		return
	}
	if Kind(object) != "object" {
		return // J018
	}
	var paths []string
	check := func(kind string, name ...string) {
		if Kind(Member(object, name[0], name[1:]...)) != kind {
			paths = append(paths, strings.Join(name, "."))
		}
	}
	check("string", "protocolVersion")
	check("object", "capabilities")
	check("object", info)
	if len(paths) == 0 || paths[len(paths)-1] != info {
		check("string", info, "name")
		check("string", info, "version")
	}
	if len(paths) > 0 {
		parts := []any{member}
		for p := range strings.SplitSeq(paths[0], ".") {
			parts = append(parts, p)
		}
		c.Report(At(parts...), "path", strings.Join(paths, ", "))
	}
}

// initializeTwice leaves alone what opens another session: over HTTP a request
// that names none.
func initializeTwice(c *Context) {
	first := c.St.Initialize
	if !c.M.IsRequest() || c.M.Frame.Dir != transport.Out || first == nil || !first.Answered || first.Err {
		return
	}
	if c.St.Link == HTTP && (c.X == nil || c.X.RequestHeader.Get("Mcp-Session-Id") == "") {
		return
	}
	c.Report(At("method"))
}

// serverTooEarly allows besides pings and log messages what belongs to a
// request of the client or takes back one of the server.
func serverTooEarly(c *Context) {
	if c.M.Frame.Dir != transport.In || c.St.Initialized || c.M.IsAnswer() || c.M.Method == "" {
		return
	}
	switch c.M.Method {
	case "ping", "notifications/message", "notifications/progress", "notifications/cancelled":
		return
	}
	begun := c.St.Initialize != nil || c.St.Link == Stdio && c.St.Messages[transport.Out] == 0
	if begun && c.M.Revision.Era() != revision.EraStateless {
		c.Report(At("method"))
	}
}
