package lint

import (
	"bytes"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// versionRules judge which revision the sides agree on.
var versionRules = []rule{
	{id: "L004", message: unknownVersion},
	{id: "L007", methods: []string{"initialize"}, message: func(c *Context) {
		if want, got, ok := c.agreed(); ok && want.Before(got) {
			c.Report(At("result", "protocolVersion"), "want", want, "got", got)
		}
	}},
	{id: "L008", methods: []string{"initialize"}, message: func(c *Context) {
		member, object := "params", c.M.Params
		if c.M.IsAnswer() {
			member, object = "result", c.M.Result
		}
		if got := Text(object, "protocolVersion"); isAfterHandshakes(got) {
			c.Report(At(member, "protocolVersion"), "got", got)
		}
	}},
	{id: "L015", methods: []string{"initialize"}, message: func(c *Context) {
		if want, got, ok := c.agreed(); ok && got.Before(want) {
			c.Report(At("result", "protocolVersion"), "want", want, "got", got, "features", strings.Join(missing(got, want), ", "))
		}
	}},
	{id: "L017", message: removedMethod},
	{id: "L018", line: mixedVersions},
	{after: watchVersions},
	{id: "L024", message: func(c *Context) {
		if !c.M.IsError() || !c.M.Modern() || c.M.Envelope.Code != revision.CodeUnsupportedVersion {
			return
		}
		data := Member(c.M.Error, "data")
		if !isStrings(Member(data, "supported")) || Kind(Member(data, "requested")) != "string" {
			c.Report(At("error", "data"))
		}
	}},
}

// versions is what is remembered of which versions were spoken of.
type versions struct {
	// agreed is the version of the first request without handshake that was
	// answered well, as it was written.
	agreed string
	// refused says that the server has refused a version.
	refused bool
}

// agreed is what the client offered and the server answered; ok when both are
// revisions with a handshake.
func (c *Context) agreed() (want, got revision.Revision, ok bool) {
	if !c.M.IsResult() || c.M.Request == nil {
		return "", "", false
	}
	want = revision.Revision(Text(c.M.Request.Params, "protocolVersion"))
	got = revision.Revision(Text(c.M.Result, "protocolVersion"))
	return want, got, want.HasHandshake() && got.HasHandshake()
}

// unknownVersion looks at the places where a side says what it speaks.
func unknownVersion(c *Context) {
	var at Place
	var value []byte
	switch {
	case c.M.Method == "initialize" && c.M.IsRequest():
		at, value = At("params", "protocolVersion"), Member(c.M.Params, "protocolVersion")
	case c.M.Method == "initialize" && c.M.IsResult():
		at, value = At("result", "protocolVersion"), Member(c.M.Result, "protocolVersion")
	case c.M.IsRequest() && c.M.Frame.Dir == transport.Out && c.M.Modern():
		value = Member(c.M.Params, "_meta", revision.MetaProtocolVersion)
		at = At("params", "_meta", revision.MetaProtocolVersion)
	}
	got, ok := jsonrpc.Unquote(value)
	if !ok || revision.Revision(got).Known() {
		return
	}
	var list []string
	for _, r := range revision.All() {
		list = append(list, string(r))
	}
	c.Report(at, "got", escaped(got), "list", strings.Join(list, ", "))
}

// isAfterHandshakes reports a date after that of the last revision with a
// handshake.
func isAfterHandshakes(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil && version > string(revision.NewestHandshake)
}

// missing is what one revision lacks that a later one has, as far as somebody
// who uses it notices.
func missing(r, later revision.Revision) []string {
	var list []string
	for _, side := range []revision.Sender{revision.Server, revision.Client} {
		for _, capability := range revision.Capabilities(side) {
			if name := capability.Name; !capability.In(r) && capability.In(later) && !capability.Open && name != "" {
				list = appendNew(list, name)
			} else if capability.In(r) {
				have := strings.Join(capability.Flags(r), " ") + " "
				for _, flag := range capability.Flags(later) {
					if !strings.Contains(have, flag+" ") {
						list = appendNew(list, name+"."+flag)
					}
				}
			}
		}
	}
	call, _ := revision.Lookup("tools/call")
	have := names{}
	for _, m := range call.ResultMembers(r) {
		have.has([]byte(m.Name))
	}
	for _, m := range call.ResultMembers(later) {
		if !have.has([]byte(m.Name)) {
			list = appendNew(list, m.Name)
		}
	}
	for _, place := range []revision.Place{revision.ToolResults, revision.Sampling} {
		old := names{}
		for _, block := range revision.Contents(r, place) {
			old.has([]byte(block.Type))
		}
		for _, block := range revision.Contents(later, place) {
			if !old.has([]byte(block.Type)) {
				list = appendNew(list, block.Type+" blocks")
			}
		}
	}
	return list
}

func appendNew(list []string, s string) []string {
	for _, other := range list {
		if other == s {
			return list
		}
	}
	return append(list, s)
}

// instead is what took the place of the methods that 2026-07-28 removed.
var instead = map[string]string{
	"initialize":                       "server/discover",
	"ping":                             "any request",
	"logging/setLevel":                 "the logLevel in _meta",
	"resources/subscribe":              "subscriptions/listen",
	"resources/unsubscribe":            "the end of subscriptions/listen",
	"notifications/initialized":        "nothing, no handshake is left",
	"notifications/roots/list_changed": "nothing, roots are asked for anew",
	"tasks/result":                     "tasks/get",
	"tasks/list":                       "tasks/get with each id",
}

// removedMethod leaves alone the way back to the handshake, for a server that
// wants one.
func removedMethod(c *Context) {
	if c.M.Frame.Dir != transport.Out || c.M.IsAnswer() || !c.M.Modern() {
		return
	}
	replacement, removed := instead[c.M.Method]
	if !removed || c.M.Method == "initialize" && (Own[versions](c.St).refused || Own[discovery](c.St).legacyOnly) {
		return
	}
	c.Report(At("method"), "replacement", replacement)
}

// mixedVersions looks at the line: the message itself may belong to a revision
// that does not have this rule.
func mixedVersions(c *Context) {
	if c.F.Dir != transport.Out || c.F.Envelope.Kind != jsonrpc.Request || !c.St.Revision.IsStateless() {
		return
	}
	want := Own[versions](c.St).agreed
	if want == "" {
		return
	}
	got := Text(c.F.Envelope.Params.Of(c.F.Bytes), "_meta", revision.MetaProtocolVersion)
	if got != "" && got != want {
		c.Report(At("params", "_meta", revision.MetaProtocolVersion), "got", escaped(got), "want", escaped(want))
	}
}

func watchVersions(c *Context) {
	if !c.M.IsAnswer() || c.M.Request == nil || c.M.Request.Dir != transport.Out || !c.M.Modern() {
		return
	}
	v := Own[versions](c.St)
	switch {
	case c.M.IsError() && c.M.Envelope.Code == revision.CodeUnsupportedVersion:
		v.refused, v.agreed = true, ""
	case c.M.IsResult() && v.agreed == "":
		v.agreed = Text(c.M.Request.Params, "_meta", revision.MetaProtocolVersion)
	}
}

// isStrings reports an array that holds nothing but strings.
func isStrings(value []byte) bool {
	if Kind(value) != "array" {
		return false
	}
	for element := range jsonrpc.Elements(value) {
		if Kind(element) != "string" {
			return false
		}
	}
	return true
}

// namesRevision reports a text that names a released revision.
func namesRevision(text []byte) bool {
	for _, r := range revision.All() {
		if bytes.Contains(text, []byte(r)) {
			return true
		}
	}
	return false
}
