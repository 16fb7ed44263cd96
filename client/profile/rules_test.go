package profile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/profile"
)

// A file is read up to its bounds, and refused beside them, with what is wrong.
func TestProfile_Rules(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	nested := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	frames := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, n), ",") + "]"
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%s}}`
	for _, c := range []struct{ member, value, refuse string }{
		{"frames", frames(64), ""},
		{"frames", frames(65), "65 frames, and at most 64"},
		{"headers", `{"User-Agent":"x/1 (y)","accept":"text/html","Accept-Language":"de"}`, ""},
		{"headers", `{"User-Agent":"` + long(1024) + `"}`, ""},
		{"headers", `{"User-Agent":"` + long(1025) + `"}`, "1025 bytes"},
		{"headers", `{"User-Agent":"a\r\nX: b"}`, "control character"},
		{"headers", `{"User-Agent":"a\u0000"}`, "control character"},
		{"headers", `{"User-Agent\r\nX":"b"}`, "only Accept, Accept-Language, User-Agent say"},
		{"headers", `{"authorization":"x"}`, `"authorization", and only`},
		{"headers", `{"Host":"x"}`, `"Host"`},
		{"headers", `{"Cookie":"x"}`, `"Cookie"`},
		{"headers", `{"Mcp-Session-Id":"x"}`, `"Mcp-Session-Id"`},
		{"headers", `{"Origin":"x"}`, `"Origin"`},
		{"omits", `["mcp-protocol-version","Mcp-Method","Accept"]`, ""},
		{"omits", `["Authorization"]`, `"Authorization", which is not a header of the protocol`},
		{"omits", `["Origin"]`, `"Origin"`},
		{"timeout_ms", `86400000`, ""},
		{"timeout_ms", `86400001`, "between 0 and 86400000"},
		{"timeout_ms", `0`, ""},
		{"timeout_ms", `-1`, "between 0"},
		{"timeout_ms", `9223372036854775807`, "between 0"},
		{"name", `"a"} {"name":"b"`, "there is more after the JSON object"},
		{"name", `"a"} x {"x":0`, "there is more after the JSON object"},
		{"pages", `"all"`, ""},
		{"pages", `"first"`, ""},
		{"pages", `"All"`, "pages is"},
		{"name", `"a b"`, ""},
		{"name", `"a\nmcptea: b"`, "name contains a control character"},
		{"id", `"a\u001b"`, "id contains"},
		{"source", `"\u009b"`, "source contains"},
		{"date", `"\r"`, "date contains"},
		{"capabilities", `{"x":"` + long(64<<10-8) + `"}`, ""},
		{"capabilities", `{"x":"` + long(64<<10-7) + `"}`, "at most 65536"},
		{"capabilities", `[]`, "capabilities is not an object"},
		{"capabilities", `{"x":` + nested(999) + `}`, ""},
		{"capabilities", `{"x":` + nested(1000) + `}`, "it is nested deeper than 1,000 levels"},
		{"capabilities", `"{\"x\":` + nested(1000) + `}"`, "it is nested deeper than 1,000 levels"},
		{"frames", `[{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + nested(1000) + `}}]`, "it is nested deeper than 1,000 levels"},
		{"capabilities", `"{\"a\""`, "it is not valid JSON"},
		{"client_info", `"{} {}"`, "it is not valid JSON"},
		{"call", fmt.Sprintf(call, `"name":"","arguments":{},"_meta":{"progressToken":1}`), ""},
		{"call", fmt.Sprintf(call, `"name":"x"`), "names a tool"},
		{"call", fmt.Sprintf(call, `"arguments":{"a":1}`), "has arguments"},
		{"call", fmt.Sprintf(call, `"arguments":[]`), "has arguments"},
		{"call", fmt.Sprintf(call, `"_meta":{"x":1}`), `"x" in its _meta`},
		{"call", fmt.Sprintf(call, `"task":{}`), `the param "task"`},
		{"call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","METHOD":"x","params":{}}`, `the member "METHOD"`},
		{"call", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "not a request of tools/call"},
		{"call", `{"jsonrpc":"2.0","method":"tools/call","params":{}}`, "not a request of tools/call"},
	} {
		text := `{"mcptea_client":1,"` + c.member + `":` + c.value + `}`
		_, err := profile.Parse([]byte(text), unasked)
		if c.refuse == "" && err != nil || c.refuse != "" && (err == nil || !strings.Contains(err.Error(), c.refuse)) {
			t.Errorf("%s %.80s: %v, want %q", c.member, c.value, err, c.refuse)
		}
	}
}

// No value of a file contains a line break, wherever it is, and what has one is not written either.
func TestProfile_LineBreakInAnyMember(t *testing.T) {
	const hidden = `{"jsonrpc":"2.0","id":777,"method":"tools/call","params":{"name":"x"}}`
	for _, lineBreak := range []string{"\n", "\r", "\r\n"} {
		object := jsonrpc.Quote(`{"name":` + lineBreak + hidden + lineBreak + `,"version":"1"}`)
		frame := jsonrpc.Quote(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + lineBreak + `{"_meta":` + lineBreak + hidden + `}}`)
		for member, value := range map[string]string{
			"client_info": object, "capabilities": object, "call": frame, "frames": "[" + frame + "]",
		} {
			_, err := profile.Parse([]byte(`{"mcptea_client":1,"`+member+`":`+value+`}`), unasked)
			if err == nil || !strings.Contains(err.Error(), "a line break") {
				t.Errorf("%s with %q: %v", member, lineBreak, err)
			}
		}
		if _, err := profile.NewRaw([]byte(`{"a":` + lineBreak + `1}`)); err == nil {
			t.Errorf("a value has %q", lineBreak)
		}
	}
	if p := parsed(t, "{\"mcptea_client\":1,\r\n\"capabilities\":\n{\"a\":\n{}}}"); string(p.ClientCapabilities(false)) != `{"a":{}}` {
		t.Errorf("JSON over several lines is %q", p.ClientCapabilities(false))
	}
}

// Frames that only connect and list are sent without a question; each other is named to the user.
func TestProfile_Surprises(t *testing.T) {
	frame := func(method, more string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `"` + more + `}`
	}
	for text, asks := range map[string]string{
		frame("initialize", ""): "", frame("server/discover", ""): "", frame("ping", ""): "",
		frame("tools/list", ""): "", frame("tools/list", `,"params":{"cursor":"x"}`): "",
		frame("resources/templates/list", ""): "", frame("prompts/list", ""): "", frame("skills/list", ""): "",
		frame("logging/setLevel", `,"params":{"level":"debug"}`): "", frame("subscriptions/listen", ""): "",
		frame(`tools\/list`, ""):                                        "",
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:        "",
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`: "",

		frame("tools/call", `,"params":{"name":"x"}`):  `"tools/call" neither connects nor lists`,
		frame("resources/read", ""):                    `"resources/read"`,
		frame("resources/subscribe", ""):               `"resources/subscribe"`,
		frame("prompts/get", ""):                       `"prompts/get"`,
		frame("completion/complete", ""):               `"completion/complete"`,
		frame("tasks/cancel", ""):                      `"tasks/cancel"`,
		frame("admin/shutdown", ""):                    `"admin/shutdown"`,
		frame("Tools/List", ""):                        `"Tools/List"`,
		frame("tools/list ", ""):                       `"tools/list "`,
		frame("tools/list", `,"method":"tools/call"`):  `the member "method" twice`,
		frame("tools/list", `,"METHOD":"tools/call"`):  `the member "METHOD"`,
		frame("tools/list", `,"\u006dethod":"x"`):      `the member "method" twice`,
		frame("tools/list", `,"id":2`):                 `the member "id" twice`,
		frame("tools/list", `,"jsonrpc":"2.0"`):        `the member "jsonrpc" twice`,
		frame("tools/list", `,"params":{},"params":0`): `the member "params" twice`,
		`{"jsonrpc":"2.0","method":"notifications/x"}`: `"notifications/x"`,
	} {
		var asked []string
		agree := func(p *profile.Profile) error {
			for _, f := range p.Surprises() {
				asked = append(asked, profile.Surprise(f))
			}
			return nil
		}
		file := []byte(`{"mcptea_client":1,"frames":[` + jsonrpc.Quote(text) + `]}`)
		_, err := profile.Parse(file, agree)
		if err != nil || (asks == "") != (len(asked) == 0) || !strings.Contains(strings.Join(asked, ""), asks) {
			t.Errorf("%s: %v, asked %q, want %q", text, err, asked, asks)
		}
		if p, err := profile.Parse(file, unasked); (asks != "") != errors.Is(err, errAsked) || (p == nil) != (err != nil) {
			t.Errorf("%s without agreement: %v", text, err)
		}
	}
}
