package lifecycle

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
)

// versionRules check which revision the sides negotiate.
var versionRules = []lint.Rule{
	{ID: "L004", When: lint.Declaring, Message: unknownVersion},
	{ID: "L007", Methods: []string{"initialize"}, Message: func(c *lint.Context) {
		if want, got, ok := negotiatedVersions(c); ok && want.Before(got) {
			c.Report(lint.At("result", "protocolVersion"), "want", want, "got", got)
		}
	}},
	{ID: "L008", Methods: []string{"initialize"}, Message: func(c *lint.Context) {
		member, object := "params", c.M.Params
		if c.M.IsResponse() {
			member, object = "result", c.M.Result
		}
		if got := jsonrpc.Text(object, "protocolVersion"); isAfterHandshakeEra(got) {
			c.Report(lint.At(member, "protocolVersion"), "got", got)
		}
	}},
	{ID: "L015", Methods: []string{"initialize"}, Message: func(c *lint.Context) {
		if want, got, ok := negotiatedVersions(c); ok && got.Before(want) {
			c.Report(lint.At("result", "protocolVersion"), "want", want, "got", got, "features", strings.Join(missingFeatures(got, want), ", "))
		}
	}},
	{ID: "L017", When: lint.FromClient | lint.Stateless, Message: removedMethod},
	{ID: "L029", Methods: []string{"ping"}, Message: func(c *lint.Context) {
		for name := range jsonrpc.Members(c.M.Result) {
			if c.M.IsResult() && string(name) != "_meta" {
				c.Report(lint.At("result", string(name)), "member", lint.Escaped(name))
				return
			}
		}
	}},
	{ID: "L030", Limit: lint.OncePerSubject, Methods: []string{"logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tasks/update", "tasks/cancel"}, When: lint.Result | lint.Matched | lint.FromServer, Message: func(c *lint.Context) {
		if strings.HasPrefix(c.M.Method, "tasks/") != c.M.IsStateless() {
			return // tasks/cancel of 2025-11-25 returns the task
		}
		for name := range jsonrpc.Members(c.M.Result) {
			if s := string(name); s != "_meta" && s != "resultType" {
				c.About(c.M.Method).Report(lint.At("result", s), "member", lint.Escaped(name))
				return
			}
		}
	}},
	{ID: "L018", Line: mixedVersions},
	{When: lint.Response | lint.Matched | lint.Stateless, After: watchVersions},
	{ID: "L024", When: lint.ErrorResponse | lint.Stateless, Message: func(c *lint.Context) {
		if !c.M.Envelope.ErrorCode().Is(revision.CodeUnsupportedVersion) {
			return
		}
		data := c.M.Get(c.M.Error, "data")
		if !lint.IsStringArray(jsonrpc.Get(data, "supported")) || jsonrpc.TypeOf(jsonrpc.Get(data, "requested")) != "string" {
			c.Report(lint.At("error", "data"))
		}
	}},
	{ID: "L031", When: lint.ErrorResponse | lint.Stateless | lint.FromServer | lint.Matched, Message: refusedVersion},
}

// refusedVersion compares the error about an unsupported version with the version of the request.
func refusedVersion(c *lint.Context) {
	version := jsonrpc.Text(c.M.Request.Params, "_meta", revision.MetaProtocolVersion)
	if !c.M.Envelope.ErrorCode().Is(revision.CodeUnsupportedVersion) || version == "" {
		return
	}
	if c.X != nil {
		if header, ok := c.X.RequestField("Mcp-Protocol-Version"); ok && header != version {
			return // the error may be about the header
		}
	}
	data := c.M.Get(c.M.Error, "data")
	requested, ok := jsonrpc.Unquote(jsonrpc.Get(data, "requested"))
	switch {
	case slices.Contains(jsonrpc.Strings(jsonrpc.Get(data, "supported")), version):
		c.Report(lint.At("error", "data", "supported"), "reason", "data.supported contains "+lint.Escaped(version)+", the version of the request")
	case ok && requested != version:
		c.Report(lint.At("error", "data", "requested"), "reason", "data.requested is "+lint.Quoted(requested)+", but the request has the version "+lint.Quoted(version))
	}
}

// versions holds the protocol version that the server has accepted, and whether it has rejected one.
type versions struct {
	// negotiated is the raw version of the first stateless request with a result.
	negotiated string
	// refused reports that the server has rejected a version.
	refused bool
}

// negotiatedVersions returns the requested and the selected version. ok is false unless both belong to the
// handshake era.
func negotiatedVersions(c *lint.Context) (want, got revision.Revision, ok bool) {
	if !c.M.IsResult() || c.M.Request == nil {
		return "", "", false
	}
	want = revision.Revision(jsonrpc.Text(c.M.Request.Params, "protocolVersion"))
	got = revision.Revision(c.M.Text(c.M.Result, "protocolVersion"))
	return want, got, want.HasHandshake() && got.HasHandshake()
}

// unknownVersion checks all places where a side names its version.
func unknownVersion(c *lint.Context) {
	var at lint.Place
	var value []byte
	switch {
	case c.M.Method == "initialize" && c.M.IsRequest():
		at, value = lint.At("params", "protocolVersion"), c.M.Get(c.M.Params, "protocolVersion")
	case c.M.Method == "initialize" && c.M.IsResult():
		at, value = lint.At("result", "protocolVersion"), c.M.Get(c.M.Result, "protocolVersion")
	case c.M.IsRequest() && c.M.Frame.Dir == transport.Out && c.M.IsStateless():
		value = jsonrpc.Get(c.M.Params, "_meta", revision.MetaProtocolVersion)
		at = lint.At("params", "_meta", revision.MetaProtocolVersion)
	}
	got, ok := jsonrpc.Unquote(value)
	if !ok || revision.Revision(got).Known() {
		return
	}
	var list []string
	for _, r := range revision.All() {
		list = append(list, string(r))
	}
	c.Report(at, "got", lint.Escaped(got), "list", strings.Join(list, ", "))
}

// isAfterHandshakeEra reports whether a version is a date after the last protocol version with a handshake.
func isAfterHandshakeEra(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil && version > string(revision.NewestHandshake)
}

func hasCompletion(r revision.Revision) bool {
	m, ok := revision.Lookup("completion/complete")
	return ok && m.In(r)
}

// missingFeatures returns the user-visible features of a later protocol version that a version lacks.
func missingFeatures(r, later revision.Revision) []string {
	var list []string
	add := func(have, now []string, before, after string) {
		for _, name := range now {
			if text := before + name + after; !slices.Contains(have, name) && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	for _, side := range []revision.Sender{revision.Server, revision.Client} {
		for _, capability := range revision.Capabilities(side) {
			switch {
			case capability.Name == "completions" && hasCompletion(r): // only the declaration is missing
			case capability.In(r):
				add(capability.Flags(r), capability.Flags(later), capability.Name+".", "")
			case capability.In(later) && !capability.Open:
				add(nil, []string{capability.Name}, "", "")
			}
		}
	}
	members := func(r revision.Revision) (names []string) {
		call, _ := revision.Lookup("tools/call")
		for _, m := range call.ResultMembers(r) {
			names = append(names, m.Name)
		}
		return names
	}
	add(members(r), members(later), "", "")
	for _, place := range []revision.Place{revision.InToolResults, revision.InSampling} {
		add(revision.ContentTypes(r, place), revision.ContentTypes(later, place), "", " blocks")
	}
	return list
}

// replacements replace the methods that 2026-07-28 removed.
var replacements = map[string]string{
	"initialize":                       "server/discover",
	"ping":                             "any request",
	"logging/setLevel":                 "logLevel in _meta",
	"resources/subscribe":              "subscriptions/listen",
	"resources/unsubscribe":            "notifications/cancelled for subscriptions/listen",
	"notifications/initialized":        "requests without initialization",
	"notifications/roots/list_changed": "roots/list in inputRequests",
	"tasks/result":                     "tasks/get",
	"tasks/list":                       "tasks/get with each id",
}

// removedMethod allows the fallback to initialize for servers that require it.
func removedMethod(c *lint.Context) {
	if c.M.IsResponse() {
		return
	}
	replacement, removed := replacements[c.M.Method]
	if !removed || c.M.Method == "initialize" && (lint.Own[versions](c.St).refused || lint.Own[discovery](c.St).handshakeOnly) {
		return
	}
	c.Report(lint.At("method"), "replacement", replacement)
}

// mixedVersions checks the line, because the message may belong to a protocol version that this
// rule does not apply to.
func mixedVersions(c *lint.Context) {
	if c.F.Dir != transport.Out || c.F.Envelope.Kind != jsonrpc.Request || !c.St.Revision.IsStateless() {
		return
	}
	want := lint.Own[versions](c.St).negotiated
	if want == "" {
		return
	}
	got := jsonrpc.Text(c.F.Envelope.Params.Of(c.F.Bytes), "_meta", revision.MetaProtocolVersion)
	if got != "" && got != want {
		c.Report(lint.At("params", "_meta", revision.MetaProtocolVersion), "got", lint.Escaped(got), "want", lint.Escaped(want))
	}
}

func watchVersions(c *lint.Context) {
	if c.M.Request.Dir != transport.Out {
		return
	}
	v := lint.Own[versions](c.St)
	switch {
	case c.M.IsError() && c.M.Envelope.ErrorCode().Is(revision.CodeUnsupportedVersion):
		v.refused, v.negotiated = true, ""
	case c.M.IsResult() && v.negotiated == "":
		v.negotiated = jsonrpc.Text(c.M.Request.Params, "_meta", revision.MetaProtocolVersion)
	}
}

// namesRevision reports whether the message or the data of a raw error names a released
// revision.
func namesRevision(raw []byte) bool {
	text := lint.Plain(raw, len(raw))
	return slices.ContainsFunc(revision.All(), func(r revision.Revision) bool { return bytes.Contains(text, []byte(r)) })
}
