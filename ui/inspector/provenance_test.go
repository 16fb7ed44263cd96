package inspector

import (
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
)

const userSecret = "sesame-of-the-user"

// hostileServer has a variable in each text of its lists, and in what it asks for.
func hostileServer() sessiontest.Serve {
	const leak = "{{env.MCPTEA_TEST_SECRET}}"
	results := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{},"completions":{}},"serverInfo":{"name":"` + leak + `","version":"1"},"instructions":"` + leak + `"}`,
		"tools/list": `{"tools":[{"name":"ask","description":"` + leak + `","inputSchema":{"type":"object","required":["q","e","n","l"],"properties":{` +
			`"q":{"type":"string","default":"` + leak + `","description":"` + leak + `","examples":["` + leak + `"]},"e":{"enum":["` + leak + `"],"default":"` + leak + `"},` +
			`"c":{"const":"` + leak + `"},"n":{"type":"object","required":["a"],"properties":{"a":{"type":"string","default":"` + leak + `"}}},` +
			`"l":{"type":"array","minItems":1,"items":{"type":"string","default":"` + leak + `"}}}}}]}`,
		"prompts/list":             `{"prompts":[{"name":"p","arguments":[{"name":"a","required":true}]}]}`,
		"resources/list":           `{"resources":[]}`,
		"resources/templates/list": `{"resourceTemplates":[{"name":"t","uriTemplate":"x://{a}"}]}`,
		"completion/complete":      `{"completion":{"values":["` + leak + `"]}}`,
		"tools/call":               `{"content":[{"type":"text","text":"` + leak + `"}]}`,
		"prompts/get":              `{"messages":[]}`,
		"resources/read":           `{"contents":[]}`,
	}
	return sessiontest.Scripted(func(method, id string) string {
		switch result := results[method]; {
		case method == "notifications/initialized":
			return `{"jsonrpc":"2.0","id":"s1","method":"elicitation/create","params":{"message":"` + leak + `","requestedSchema":{"type":"object","required":["q"],"properties":{` +
				`"q":{"type":"string","default":"` + leak + `"},"r":{"type":"string","enum":["` + leak + `"],"default":"` + leak + `"}}}}}`
		case id != "" && result != "":
			return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
		}
		return ""
	})
}

// allSent are the frames of the client.
func (d *driver) allSent() (frames string) {
	d.t.Helper()
	st := d.session.Store()
	for i := range int32(st.Snapshot().Rows) {
		if row, ok := st.Row(i); ok && row.IsFrame() && row.Dir == transport.Out {
			body, err := st.Body(i)
			if err != nil {
				d.t.Fatal(err)
			}
			frames += string(body) + "\n"
		}
	}
	return frames
}

// Nothing that a server has written is replaced by a variable of the user on its way
// through forms, completions, the inbox and the composer.
func TestProvenance_TextOfServersIsNotResolved(t *testing.T) {
	raced.Never(t, "fills in each form in each way, in one goroutine")
	t.Setenv("MCPTEA_TEST_SECRET", userSecret)
	const leak = "{{env.MCPTEA_TEST_SECRET}}"
	driveServer(t, 120, 40, hostileServer(), func(d *driver) {
		for _, c := range []struct{ name, keys, sent string }{
			{"the form of a tool", "2<enter><ctrl+s>", `"arguments":{"q":"` + leak + `","e":"` + leak + `","n":{"a":"` + leak + `"},"l":["` + leak + `"]}`},
			{"the JSON of that form", "<alt+v><ctrl+s><alt+v>", `"arguments":{"q":"` + leak + `"`},
			{"the same call again", "<alt+r>", `"n":{"a":"` + leak + `"`},
			{"an edited default", "e<end>x<ctrl+s>", `"q":"` + leak + `x"`},
			{"the call in the composer", "c<ctrl+s><ctrl+s>", `"q":"` + leak + `x"`},
			{"a completed value of a prompt", "<esc><esc><esc><esc>4<enter><ctrl+space><enter><ctrl+s>", `"arguments":{"a":"` + leak + `"}`},
			{"a completed value of a template", "<esc><esc>3<enter><ctrl+space><enter><ctrl+s>", `"uri":"x://%7B%7Benv.MCPTEA_TEST_SECRET%7D%7D"`},
			{"an elicitation", "<esc><esc>5<ctrl+s>", `"content":{"q":"` + leak + `","r":"` + leak + `"}`},
			{"a frame in the composer", "9<end><up>e<ctrl+s><ctrl+s>", ""},
		} {
			before := len(d.allSent())
			d.press(c.keys)
			sent := d.allSent()[before:]
			if sent == "" || !strings.Contains(sent, c.sent) && c.sent != "" {
				t.Errorf("%s: sent %s, not %s\n%s", c.name, sent, c.sent, d.term.screen())
			}
			if strings.Contains(sent, userSecret) {
				t.Errorf("%s: the secret was sent: %s", c.name, sent)
			}
		}
	})
}

// A call of a recording is sent to a server as it was recorded.
func TestProvenance_RecordedFramesAreNotResolved(t *testing.T) {
	raced.Never(t, "fills in each form in each way, in one goroutine")
	t.Setenv("MCPTEA_TEST_SECRET", userSecret)
	const params = `{"name":"ask","arguments":{"q":"{{env.MCPTEA_TEST_SECRET}} \u00e9"}}`
	for name, draft := range map[string]Draft{
		"a call":  {Method: "tools/call", Params: []byte(params)},
		"a frame": {Frame: []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + params + `}`)},
	} {
		open := func() (*session.Session, error) {
			return session.Open(session.Config{
				Target: client.Target{Argv: []string{"server"}}, Record: "off", Client: client.Config{Name: "mcptea", Version: "test", Revision: "2025-11-25"},
				Dial: sessiontest.Dial(hostileServer()),
			})
		}
		driveWith(t, 120, 36, open, func(*session.Session) Options { return Options{Draft: draft} }, func(d *driver) {
			d.press("<ctrl+s><ctrl+s>")
			if sent := d.lastSent(); !strings.Contains(sent, `"arguments":{"q":"{{env.MCPTEA_TEST_SECRET}} \u00e9"}`) {
				t.Errorf("%s: sent %s\n%s", name, sent, d.term.screen())
			}
		})
	}
}
