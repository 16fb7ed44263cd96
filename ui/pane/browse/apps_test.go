package browse_test

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/offer"
)

// withApps is a table on a server with tools that have an app.
func withApps(t *testing.T) *table {
	tb, _ := record(t)
	tb.state.Lists["tools"] = offer.List{Offered: true, Loaded: start.Add(time.Second), Items: []offer.Item{
		item("tools", `{"name":"show-map","description":"Shows a map","_meta":{"ui":{"resourceUri":"ui://map/app.html"}}}`),
		item("tools", `{"name":"refresh","description":"Loads it again","_meta":{"ui":{"resourceUri":"ui://map/app.html","visibility":["app"]}}}`),
		item("tools", `{"name":"secret","description":"For no one","_meta":{"ui":{"visibility":[]}}}`),
		item("tools", `{"name":"plain","description":"Text"}`),
	}}
	tb.state.Lists["resources"] = offer.List{Offered: true, Loaded: start.Add(time.Second), Items: []offer.Item{
		item("resources", `{"uri":"ui://map/app.html","name":"map","mimeType":"text/html;profile=mcp-app","_meta":{"ui":{"prefersBorder":true}}}`),
		item("resources", `{"uri":"demo://counter","name":"counter"}`),
	}}
	tb.refresh()
	return tb
}

func (tb *table) reads(result string) {
	tb.fake.frame(transport.Out, tb.now, `{"jsonrpc":"2.0","id":70,"method":"resources/read","params":{"uri":"ui://map/app.html"}}`)
	tb.fake.frame(transport.In, tb.now, `{"jsonrpc":"2.0","id":70,`+result+`}`)
	tb.refresh()
}

func TestApps_Marks(t *testing.T) {
	tb := withApps(t)
	tb.sees(120, 20, "show-map  app", "refresh  apps only", "app      ui://map/app.html", "not read yet; the list declares:", "not declared: no other origin, but any by WebRTC", "with a border")
	for _, line := range strings.Split(tb.screen(120, 20), "\n") {
		if strings.Contains(line, "plain  app") {
			t.Errorf("a tool without app is marked: %s", line)
		}
	}
	tb.choose("refresh")
	tb.sees(120, 20, "callers  apps only")
	tb.choose("secret")
	tb.sees(120, 20, "secret  no callers", "callers  neither the model nor apps")
	tb.Press("/")
	tb.Type("ref")
	tb.sees(120, 20, "refresh  apps only")
}

func TestApps_Document(t *testing.T) {
	tb := withApps(t)
	tb.reads(`"result":{"contents":[{"uri":"ui://map/app.html","mimeType":"text/html;profile=mcp-app","text":"<!DOCTYPE html>","_meta":{"ui":{"domain":"evil\u001b[2J.example","permissions":{"camera":{},"clipboardWrite":{}},"csp":{"connectDomains":["https://tiles.example"],"frameDomains":["bad; *"]}}}}]}`)
	tb.fake.findings = []lint.Finding{{Rule: &lint.Entry{ID: "U023"}, Message: "It loads what is not declared."}, {Rule: &lint.Entry{ID: "T001"}, Message: "About a tool."}}
	tb.sees(120, 24, "document 15 B, text/html;profile=mcp-app", "csp      connects to https://tiles.example", "permits  camera, clipboardWrite", "domain   evil", "U023 It loads what is not declared.")
	if got := tb.screen(120, 24); strings.Contains(got, "T001") || strings.Contains(got, "bad; *") || strings.Contains(got, "\x1b[2J") || strings.Contains(got, "with a border") {
		t.Errorf("the screen shows what does not belong to the app:\n%s", got)
	}
}

func TestApps_NothingInTheList(t *testing.T) {
	tb := withApps(t)
	tb.state.Lists["resources"] = offer.List{Offered: true, Loaded: start.Add(2 * time.Second), Items: []offer.Item{
		item("resources", `{"uri":"ui://map/app.html","name":"map"}`),
	}}
	tb.refresh()
	tb.sees(120, 20, "not loaded yet; o opens it")
	if got := tb.screen(120, 20); strings.Contains(got, "csp") {
		t.Errorf("the screen shows a policy that is unknown:\n%s", got)
	}
	tb.state.Lists["resources"] = offer.List{Offered: true, Loaded: start.Add(3 * time.Second)}
	tb.refresh()
	tb.sees(120, 20, "not read yet, and not in the list of resources")
}

func TestApps_Unreadable(t *testing.T) {
	tb := withApps(t)
	tb.reads(`"error":{"code":-32002,"message":"Resource not found"}`)
	tb.sees(120, 20, "document", "Resource not found")
}

func TestApps_Resource(t *testing.T) {
	tb := withApps(t)
	other := open(t, "resources")
	other.fake.s = tb.fake.s
	other.state.Lists = tb.state.Lists
	other.refresh()
	other.sees(120, 20, "map  app", "used by  show-map, refresh")
	other.sees(80, 20, "map  app")
}
