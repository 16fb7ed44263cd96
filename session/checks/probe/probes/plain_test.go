package probes_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/session/checks/probe"
	"mcptea/session/checks/probe/probes"
)

// plainFaults are servers on which the plain form of one feature fails, with what names it. The first of the forms is
// tried by day.
var plainFaults = []struct {
	methods, named string
	forms          []string
}{
	{"tools/list resources/list resources/templates/list prompts/list", "tools/list", []string{unknown, internal, silent}},
	{"tools/list", "tools/list|`tools`", []string{silent, unknown, internal, null, empty}},
	{"resources/list", "resources/list|`resources`", []string{internal, unknown, silent, null, empty}},
	{"resources/templates/list", "resources/templates/list|`resourceTemplates`", []string{empty, internal, silent, null}},
	{"prompts/list", "prompts/list|`prompts`", []string{null, unknown, internal, silent, empty}},
	{"tools/call", "tools/call|[Tt]he tool|call of (an|the) unknown tool", []string{unknown, internal, silent, null, empty}},
	{"resources/read", `resources/read|listed resource|template|The app|array "contents"`, []string{internal, unknown, silent, null, empty}},
	{"prompts/get", "prompts/get|prompt", []string{unknown, internal, silent, null, empty}},
	{"completion/complete", "completion", []string{internal, unknown, silent, null, empty}},
	{"logging/setLevel", "logging/setLevel|log level", []string{silent, unknown, internal, null}},
	{"resources/subscribe", "resources/subscribe", []string{silent, unknown, internal, null}},
	{"ping", "ping", []string{internal, unknown, silent}},
}

// What the methods of such a server do.
const (
	unknown  = "error -32601 Method not found"
	internal = "error -32603 Internal error"
	silent   = "ignore"
	null     = "result null"
	empty    = "result {}"
)

// A feature whose plain form fails has an error or a warning that names it, and nothing else is accused: "not judged" in
// a probe that needs more of the feature adds no finding.
func TestProbe_PlainFormFails(t *testing.T) {
	for _, fault := range plainFaults {
		for i, form := range fault.forms {
			if i > 0 && !*wholeMatrix {
				break
			}
			t.Run(fault.methods+" "+form, func(t *testing.T) {
				t.Parallel()
				var script strings.Builder
				for method := range strings.FieldsSeq(fault.methods) {
					fmt.Fprintf(&script, "%s => %s\n", method, form)
				}
				var found []probe.Finding
				synctest.Test(t, func(t *testing.T) {
					summary, err := probes.Run(t.Context(), probe.Config{
						Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1,
						Dial: dial(t, script.String(), demo.Options{}),
					}, nil)
					if err != nil {
						t.Fatal(err)
					}
					found = slices.DeleteFunc(grave(summary), func(f probe.Finding) bool {
						return f.Rule != nil && strings.HasPrefix(f.Rule.ID, "Y00") // texts of the demo server are hostile
					})
				})
				if len(found) == 0 {
					t.Error("no finding")
				}
				named := regexp.MustCompile(fault.named + `|"result" is null`)
				for _, f := range found {
					if !named.MatchString(f.Message) {
						t.Errorf("another one is accused: %s: %s", f.Case, f.Message)
					}
				}
			})
		}
	}
}
