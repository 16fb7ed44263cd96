//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// harSchema are the schemas of HTTP Archive 1.2 by their package on npm.
func harSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "testdata", "formats", "node_modules", "har-schema", "lib", "*.json"))
	if err != nil || len(files) == 0 {
		lacks(t, "the schemas of HAR are not there; install them with: npm ci --prefix testdata/formats --ignore-scripts")
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("http://har.invalid/"+filepath.Base(file), doc); err != nil {
			t.Fatal(err)
		}
	}
	schema := c.MustCompile("http://har.invalid/har.json")
	if schema.Validate(map[string]any{"log": map[string]any{"version": "1.2", "creator": map[string]any{}, "entries": []any{}}}) == nil {
		t.Fatal("the schema accepts a creator without a name")
	}
	return schema
}

// Sessions over HTTP, HTTP+SSE and stdio are valid HTTP Archives.
func TestHAR_Validates(t *testing.T) {
	schema := harSchema(t)
	demo := func(path string) []string {
		return []string{listening(t, path, "--listen", program(t), "demo")}
	}
	for name, tc := range map[string]struct {
		target []string
		flags  []string
		host   string
	}{
		"stateless, HTTP": {demo("/mcp"), nil, "127.0.0.1"},
		"handshake, HTTP": {demo("/mcp"), []string{"--protocol", "2025-11-25"}, "127.0.0.1"},
		"HTTP+SSE":        {demo("/sse"), []string{"--transport", "sse", "--protocol", "2024-11-05"}, "127.0.0.1"},
		"stdio":           {[]string{program(t), "demo", "--serve"}, nil, "stdio"},
	} {
		t.Run(name, func(t *testing.T) {
			file := recordScript(t, "list tools\ncall echo message=hi\n! call nope\nread demo://readme\n", tc.target, tc.flags...)
			text, err := os.ReadFile(exportedFrom(t, file, "har"))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Errorf("%v", err)
			}
			var har struct {
				Log struct {
					Entries []struct {
						Request  struct{ URL string }
						Response struct{ Content struct{ Text string } }
					}
				}
			}
			if err := json.Unmarshal(text, &har); err != nil {
				t.Fatal(err)
			}
			called := false
			for _, e := range har.Log.Entries {
				if !strings.Contains(e.Request.URL, tc.host) {
					t.Errorf("the URL of an entry is %s", e.Request.URL)
				}
				called = called || strings.Contains(e.Response.Content.Text, `"text":"hi"`)
			}
			if !called {
				t.Errorf("no entry has the response to echo in %d entries", len(har.Log.Entries))
			}
		})
	}
}
