package declared_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcptea/offer/declared"
)

// The bounds of what is declared.
const (
	maxOrigins     = 100
	maxOrigin      = 300 // bytes
	maxPermissions = 100
)

func TestDeclared_OfTool(t *testing.T) {
	for _, c := range []struct {
		name, tool         string
		uri                string
		forModel, forApp   bool
		declares, onlyApps bool
	}{
		{"no metadata", `{"name":"a"}`, "", true, true, false, false},
		{"nested", `{"_meta":{"ui":{"resourceUri":"ui://a/b"}}}`, "ui://a/b", true, true, true, false},
		{"flat", `{"_meta":{"ui/resourceUri":"ui://a/b"}}`, "ui://a/b", true, true, true, false},
		{"the nested one wins", `{"_meta":{"ui/resourceUri":"ui://flat","ui":{"resourceUri":"ui://nested"}}}`, "ui://nested", true, true, true, false},
		{"a bad nested one wins", `{"_meta":{"ui/resourceUri":"ui://flat","ui":{"resourceUri":7}}}`, "", true, true, true, false},
		{"nested without URI", `{"_meta":{"ui/resourceUri":"ui://flat","ui":{"visibility":["app"]}}}`, "ui://flat", false, true, true, true},
		{"other scheme", `{"_meta":{"ui":{"resourceUri":"https://a.example"}}}`, "", true, true, true, false},
		{"for the model", `{"_meta":{"ui":{"visibility":["model"]}}}`, "", true, false, true, false},
		{"for neither", `{"_meta":{"ui":{"visibility":[]}}}`, "", false, false, true, false},
		{"unknown parties", `{"_meta":{"ui":{"visibility":["user",7,"app"]}}}`, "", false, true, true, true},
		{"not an array", `{"_meta":{"ui":{"visibility":"app"}}}`, "", false, false, true, false},
		{"ui is not an object", `{"_meta":{"ui":[]}}`, "", true, true, true, false},
		{"not an object", `[]`, "", true, true, false, false},
		{"cut off", `{"_meta":{"ui":{"visibility":["mo`, "", true, true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tool, ok := declared.OfTool([]byte(c.tool))
			if tool.URI != c.uri || tool.ForModel != c.forModel || tool.ForApp != c.forApp || ok != c.declares || tool.AppOnly() != c.onlyApps {
				t.Errorf("%+v, %v", tool, ok)
			}
		})
	}
}

func TestDeclared_Policy(t *testing.T) {
	const uri = "ui://a"
	read := func(csp string) string {
		return `{"contents":[{"uri":"ui://a","text":"","_meta":{"ui":{"csp":` + csp + `}}}]}`
	}
	const none = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
	const empty = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
		"img-src 'self' data:; font-src 'self'; media-src 'self' data:; frame-src 'none'; object-src 'none'; base-uri 'self'"
	for _, c := range []struct{ name, read, want string }{
		{"absent", `{"contents":[{"uri":"ui://a","text":""}]}`, none},
		{"not an object", read(`["https://a.example"]`), none},
		{"empty", read(`{}`), empty},
		{"empty lists", read(`{"connectDomains":[],"frameDomains":[]}`), empty},
		{
			"all lists",
			read(`{"connectDomains":["wss://c.example"],"resourceDomains":["https://*.r.example","https://s.example:8443"],"frameDomains":["https://f.example"],"baseUriDomains":["https://b.example"]}`),
			"default-src 'none'; script-src 'self' 'unsafe-inline' https://*.r.example https://s.example:8443; " +
				"style-src 'self' 'unsafe-inline' https://*.r.example https://s.example:8443; connect-src 'self' wss://c.example; " +
				"img-src 'self' data: https://*.r.example https://s.example:8443; font-src 'self' https://*.r.example https://s.example:8443; " +
				"media-src 'self' data: https://*.r.example https://s.example:8443; frame-src https://f.example; object-src 'none'; base-uri https://b.example",
		},
		{"entries that break a header", read(`{"frameDomains":["https://a.example; script-src *","'unsafe-eval'","a b","a,b","a\r\nSet-Cookie: x","\"q\"","https://ä.example","","\u0000"," "]}`), empty},
		{"not origins", read(`{"connectDomains":["data:","BLOB:","file:","javascript:","filesystem:","mediastream:","x:","data:text/html","blob:https://a.example","file:///etc","ftp://a.example","javascript://a.example","about:blank"]}`), empty},
		{"all origins", read(`{"connectDomains":["*","*:*","*:443","*/x","https://*","HTTPS://*:443","wss://*/x"]}`), empty},
		{
			"odd origins", read(`{"connectDomains":["a.example","a.example:443","a.example:*","https:","HTTP:","ws://a.example/p","https://*.a.example:*","http://[::1]:80","localhost:3000"]}`),
			strings.Replace(empty, "connect-src 'self'", "connect-src 'self' a.example a.example:443 a.example:* https: HTTP: ws://a.example/p https://*.a.example:* http://[::1]:80 localhost:3000", 1),
		},
		{"not strings", read(`{"connectDomains":[1,null,{}],"frameDomains":"https://a.example"}`), empty},
		{"long", read(`{"frameDomains":["` + strings.Repeat("a", maxOrigin+1) + `"]}`), empty},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := declared.OfDocument(uri, nil, []byte(c.read))
			if err != nil {
				t.Fatal(err)
			}
			if got := d.CSP.Policy(false); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	d, err := declared.OfDocument(uri, nil, []byte(read(`{"frameDomains":[`+strings.Repeat(`"https://a.example",`, maxOrigins)+`"https://a.example"]}`)))
	if n := strings.Count(d.CSP.Policy(false), "a.example"); err != nil || n != maxOrigins || len(d.CSP["frameDomains"]) != maxOrigins {
		t.Errorf("%d entries, %v", n, err)
	}
	for _, read := range []string{`{"contents":[{"uri":"ui://a","text":""}]}`, read(`{}`)} {
		d, _ := declared.OfDocument(uri, nil, []byte(read))
		const loose = "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; worker-src 'self' blob:; style-src 'self' 'unsafe-inline' blob:; " +
			"connect-src 'self'; img-src 'self' data: blob:; font-src 'self' data: blob:; media-src 'self' data: blob:; frame-src 'none'; object-src 'none'; base-uri 'self'"
		if got := d.CSP.Policy(true); got != loose {
			t.Errorf("got  %s\nwant %s", got, loose)
		}
	}
}

func TestDeclared_OfDocument_Places(t *testing.T) {
	const ui = `"_meta":{"ui":{"domain":"%"}}`
	at := func(place string) string { return strings.ReplaceAll(ui, "%", place) }
	for _, c := range []struct {
		name, entry, read, domain, mime string
		source                          declared.Source
	}{
		{"item", `{` + at("list") + `,"mimeType":"l"}`, `{` + at("result") + `,"contents":[{"text":"","mimeType":"i",` + at("item") + `}]}`, "item", "i", "content item"},
		{"result", `{` + at("list") + `,"mimeType":"l"}`, `{` + at("result") + `,"contents":[{"text":""}]}`, "result", "l", "result of resources/read"},
		{"list", `{` + at("list") + `}`, `{"contents":[{"text":"","_meta":{}}]}`, "list", "", "entry of resources/list"},
		{"an object wins over another type", `{` + at("list") + `}`, `{"contents":[{"text":"","_meta":{"ui":7}}]}`, "list", "", "entry of resources/list"},
		{"an empty object wins", `{` + at("list") + `}`, `{"contents":[{"text":"","_meta":{"ui":{}}}]}`, "", "", "content item"},
		{"no place", ``, `{"contents":[{"text":""}]}`, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := declared.OfDocument("ui://a", []byte(c.entry), []byte(c.read))
			if err != nil || d.Domain != c.domain || d.MIME != c.mime || d.Source != c.source {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
}

func TestDeclared_OfDocument_Content(t *testing.T) {
	blob := base64.StdEncoding.EncodeToString([]byte("<html>"))
	for _, c := range []struct{ name, read, html, err string }{
		{"text", `{"contents":[{"uri":"ui://a","text":"<html>"}]}`, "<html>", ""},
		{"blob", `{"contents":[{"uri":"ui://a","blob":"` + blob + `"}]}`, "<html>", ""},
		{"other URI", `{"contents":[{"uri":"ui://A","text":"<html>"}]}`, "<html>", ""},
		{"the one with the URI", `{"contents":[{"uri":"ui://b","text":"b"},{"uri":"ui://a","text":"<html>"}]}`, "<html>", ""},
		{"two with the URI", `{"contents":[{"uri":"ui://a","text":"b"},{"uri":"ui://a","text":"<html>"}]}`, "", "has 2 content items, of which 2 have this URI"},
		{"no item", `{"contents":[]}`, "", "has no content item"},
		{"no contents", `{}`, "", "has no content item"},
		{"no content", `{"contents":[{"uri":"ui://a"}]}`, "", "neither text nor a blob"},
		{"bad base64", `{"contents":[{"uri":"ui://a","blob":"%"}]}`, "", "illegal base64 data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := declared.OfDocument("ui://a", nil, []byte(c.read))
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) || string(d.HTML) != c.html {
				t.Errorf("%q, %v", d.HTML, err)
			}
		})
	}
}

func TestDeclared_OfDocument_PermissionsAndBorder(t *testing.T) {
	d, err := declared.OfDocument("ui://a", nil, []byte(`{"contents":[{"text":"","_meta":{"ui":{"prefersBorder":false,
		"permissions":{"clipboardWrite":{},"camera":{},"camera":{},"midi":{},"microphone":false,"geolocation":null}}}}]}`))
	if err != nil || !slices.Equal(d.Permissions, []string{"clipboardWrite", "camera", "midi"}) {
		t.Fatalf("%q, %v", d.Permissions, err)
	}
	if allow := declared.Allow(d.Permissions); allow != "clipboard-write; camera" {
		t.Errorf("allow %q", allow)
	}
	if declared.Allow(nil) != "" {
		t.Errorf("allow of no permissions is %q", declared.Allow(nil))
	}
	var many strings.Builder
	for i := range maxPermissions + 1 {
		fmt.Fprintf(&many, `,"p%d":{}`, i)
	}
	if d := declared.OfEntry([]byte(`{"_meta":{"ui":{"permissions":{` + many.String()[1:] + `}}}}`)); len(d.Permissions) != maxPermissions {
		t.Errorf("%d permissions", len(d.Permissions))
	}
	if d.PrefersBorder == nil || *d.PrefersBorder {
		t.Errorf("border %v", d.PrefersBorder)
	}
	if d := declared.OfEntry([]byte(`{"uri":"ui://a","mimeType":"m","_meta":{"ui":{"prefersBorder":true}}}`)); d.URI != "ui://a" || d.MIME != "m" || d.PrefersBorder == nil || !*d.PrefersBorder {
		t.Errorf("%+v", d)
	}
}

// FuzzDeclared checks that no input makes a policy with more directives than there are, or
// characters that end a header.
func FuzzDeclared(f *testing.F) {
	f.Add([]byte(`{"name":"a","_meta":{"ui":{"resourceUri":"ui://a","visibility":["app"]},"ui/resourceUri":"ui://a"}}`))
	f.Add([]byte(`{"contents":[{"uri":"ui://a","text":"x","_meta":{"ui":{"csp":{"frameDomains":["a; b"],"connectDomains":["'x'"]},"permissions":{"camera":{}}}}}]}`))
	f.Add([]byte(`{"_meta":{"ui":{"csp":{"baseUriDomains":["\n"]}}},"contents":[{"blob":"eA=="}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		tool, ok := declared.OfTool(raw)
		if tool.URI != "" && (!ok || !strings.HasPrefix(tool.URI, declared.Scheme)) {
			t.Errorf("%+v, %v", tool, ok)
		}
		for _, entry := range [][]byte{nil, raw} {
			d, _ := declared.OfDocument("ui://a", entry, raw)
			policy := d.CSP.Policy(false)
			directives := 10
			if d.CSP == nil {
				directives = 6
			}
			if strings.Count(policy, ";") != directives-1 || strings.ContainsAny(policy, ",\r\n\"") {
				t.Errorf("policy %q", policy)
			}
			declared.Allow(d.Permissions)
		}
	})
}
