package probes_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
)

// plainFaults are servers on which the plain form of one feature fails, with what names it. The first of the forms is
// tried by day.
var plainFaults = []plainFault{
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

// statelessFaults is like plainFaults, for 2026-07-28.
var statelessFaults = []plainFault{
	{"tools/list resources/list resources/templates/list prompts/list events/list", "(tools|events)/list|list without a log level", []string{unknown, internal, silent}},
	{"tools/list", "tools/list|`tools`", []string{unknown, internal, silent, empty}},
	{"resources/list", "resources/list|`resources`", []string{silent, unknown, internal, empty}},
	{"prompts/list", "prompts/list|`prompts`", []string{internal, unknown, silent, empty}},
	{"tools/call", "tools/call|[Tt]he tool|call of (an|the) unknown tool", []string{silent, unknown, internal, empty}},
	{"resources/read", `resources/read|listed resource|template|The app|array "contents"|skill://`, []string{unknown, internal, silent, empty}},
	{"prompts/get", "prompts/get|prompt", []string{silent, unknown, internal, empty}},
	{"completion/complete", "completion", []string{unknown, internal, silent, empty}},
	{"subscriptions/listen", "subscriptions/listen|resource update|subscription", []string{internal, unknown, silent, empty}},
	{"events/list", "events/list|event types", []string{unknown, internal, silent, empty}},
	{"events/poll", "events/poll|[Pp]olls? of|poll, and the server accepts|accepts arguments", []string{internal, unknown, silent, empty}},
	{"events/stream", "events/stream|stream of", []string{unknown, internal, silent, empty}},
}

// A plainFault is a server on which the plain form of methods fails, and a pattern of what names it.
type plainFault struct {
	methods, named string
	forms          []string
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
	for version, faults := range map[revision.Revision][]plainFault{revision.R20251125: plainFaults, revision.R20260728: statelessFaults} {
		for i, fault := range faults {
			for k, form := range fault.forms {
				if k > 0 && !*wholeMatrix || version.IsStateless() && !inTurn(i) {
					break
				}
				t.Run(fmt.Sprintf("%s %s %s", version, fault.methods, form), func(t *testing.T) {
					t.Parallel()
					fault.judge(t, version, form)
				})
			}
		}
	}
}

// judge checks a demo server whose methods do what the form says.
func (fault plainFault) judge(t *testing.T, version revision.Revision, form string) {
	t.Helper()
	var script strings.Builder
	for method := range strings.FieldsSeq(fault.methods) {
		fmt.Fprintf(&script, "%s => %s\n", method, form)
	}
	var found []probe.Finding
	synctest.Test(t, func(t *testing.T) {
		var network inmemory.Network
		summary, err := probes.Run(t.Context(), probe.Config{
			Client: client.Config{Name: "mcptea", Version: "1", Revision: version}, Seed: 1,
			Dial: dial(t, script.String(), demo.Options{Deliveries: network.Transport()}), Events: version.IsStateless(), Listen: network.Listen,
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
}
