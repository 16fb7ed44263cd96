package form

import (
	"os"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
)

// A form that is filled in with the arguments of a call, becomes JSON, is laid out, and becomes a form again, takes
// memory and time that grow with its schema and the arguments.
func TestForm_Growth(t *testing.T) {
	raced.Never(t, "measures memory")
	for _, s := range growth.Shapes {
		if s.Name != "deep" && os.Getenv("MCPTEA_E2E") != "1" {
			continue
		}
		growth.Check(t, s, func(p growth.Peer) map[string]growth.Cost {
			costs := map[string]growth.Cost{}
			var d *Form
			costs["schema"] = growth.Of(func() {
				d = draft(t, `{"type":"object","properties":{"a":{"type":"object"},"b":{"default":`+p.Value+`}},"required":["a"]}`)
			})
			costs["arguments"] = growth.Of(func() { d.Fill([]byte(`{"a":{"v":` + p.Value + `}}`)) })
			costs["as JSON"] = growth.Of(func() { d.ToJSON() })
			if s.Name != "opaque" && !jsonrpc.Valid([]byte(d.Editor.Value())) {
				t.Errorf("%s: the form is not JSON: %.80q", s.Name, d.Editor.Value())
			}
			costs["laid out"] = growth.Of(func() { d.Editor.Format() })
			costs["as a form"] = growth.Of(func() { d.ToForm() })
			return costs
		})
	}
}
