package reduce

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/internal/jsontree"
	"mcptea/lint"
	"mcptea/lint/lintfile"
	"mcptea/record"
)

// dialogueOf reads frames behind their directions. A response belongs to the newest request with its id.
func dialogueOf(t *testing.T, text string) *Dialogue {
	t.Helper()
	var frames []Frame
	unit := map[any]int32{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		direction, raw, _ := strings.Cut(strings.TrimSpace(line), " ")
		body, ok := jsontree.Decode([]byte(raw))
		if !ok {
			t.Fatalf("no JSON: %s", line)
		}
		row := int32(len(frames))
		f := Frame{Out: direction == ">", Body: body, Row: row, Unit: row, number: row, raw: []byte(raw), size: len(raw)}
		f.wire.Ending, f.wire.Dir = "\n", transport.In
		if f.Out {
			f.wire.Dir = transport.Out
		}
		id, hasID := jsontree.Get(body, "id")
		if _, isRequest := jsontree.Get(body, "method"); isRequest {
			unit[id] = row
		} else if at, ok := unit[id]; ok && hasID {
			f.Unit = at
		}
		frames = append(frames, f)
	}
	return &Dialogue{Frames: frames, header: record.Header{Transport: "stdio"}}
}

const handshake = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"AcmeEditor","version":"7.3.1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"acme-billing","version":"4.4"},"instructions":"Ask Jane Miller first"}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"find_invoice","description":"Finds invoices of Acme","inputSchema":{"type":"object","properties":{"customer":{"type":"string","description":"Such as Miller"}}},"outputSchema":{"type":"object","properties":{"total":{"type":"number"},"lines":{"type":"array"}},"required":["total"]}},{"name":"pay_invoice","description":"Pays","inputSchema":{"type":"object"}}]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find_invoice","arguments":{"customer":"Jane Miller"}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"total\":12}"}],"structuredContent":{"total":12}}}
`

// A dialogue is reduced to the frames that a finding needs, with none of the texts that its user or server chose.
func TestToFinding_FewestFramesWithoutTexts(t *testing.T) {
	for _, c := range []struct {
		name, text, rule string
		most             int // frames that may be left
	}{
		{"a result that does not match", `> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"find_invoice","arguments":{"customer":"ACME-0815"}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"total\":\"81,50 EUR\"}"}],"structuredContent":{"total":"81,50 EUR","lines":["Hosting, March"]}}}`, "S011", 6},
		{"an image without a type", `> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"pay_invoice","arguments":{}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"Paid by Jane"},{"type":"image","data":"aGVsbG8="}]}}`, "S021", 2},
		{"a response without a request", `< {"jsonrpc":"2.0","id":"secret-job-77","result":{"customer":"Jane Miller"}}`, "J030", 4},
		{"progress that goes back", `> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"pay_invoice","arguments":{"iban":"DE1234567890"},"_meta":{"progressToken":"upload-Miller"}}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"upload-Miller","progress":70,"message":"Booking for Miller"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"upload-Miller","progress":50}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}`, "N004", 6},
		{"two tools of one name", `> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"book_miller","description":"d","inputSchema":{"type":"object"}},{"name":"other","description":"d","inputSchema":{"type":"object"}},{"name":"book_miller","description":"d","inputSchema":{"type":"object"}}]}}`, "T012", 2},
	} {
		d := dialogueOf(t, handshake+c.text)
		var want *Finding
		for _, f := range d.Findings(t.Context()) {
			if f.Rule.ID == c.rule && want == nil {
				got, ok := d.ToFinding(t.Context(), f, nil)
				if want = &got; !ok {
					t.Errorf("%s: no file keeps it", c.name)
				}
			}
		}
		if want == nil {
			t.Errorf("%s: the dialogue has no %s: %v", c.name, c.rule, d.Findings(t.Context()))
			continue
		}
		text := want.Text
		if want.Frames > c.most || want.Limited || len(want.Kept) > 0 {
			t.Errorf("%s: %d frames, want at most %d, needed %q\n%s", c.name, want.Frames, c.most, want.Kept, text)
		}
		for _, secret := range []string{"acme", "Acme", "ACME", "Jane", "Miller", "miller", "EUR", "81", "invoice", "DE12", "job-77", "Booking"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %q is left:\n%s", c.name, secret, text)
			}
		}
		if again := rulesOf(t, want.Text); again != c.rule && again != c.rule+" S015" {
			t.Errorf("%s: the written dialogue has %s\n%s", c.name, again, text)
		}
	}
}

// rulesOf returns the rules with an error or a warning in a file, each once.
func rulesOf(t *testing.T, text string) string {
	var ids []string
	report, err := lintfile.Lint(t.Context(), strings.NewReader(text), func(f lint.Finding) {
		if f.Severity != lint.Info && !slices.Contains(ids, f.Rule.ID) {
			ids = append(ids, f.Rule.ID)
		}
	})
	if err != nil || report.Skipped > 0 {
		t.Errorf("%v, %v\n%s", err, report.Problems, text)
	}
	return strings.Join(ids, " ")
}

// Another fault of the same rule is not a candidate: the place and the sentence stay.
func TestToFinding_SameFaultOfTheRule(t *testing.T) {
	d := dialogueOf(t, handshake+`> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"x","description":"d","inputSchema":{"type":"array","items":{"type":"string"}}}]}}`)
	for _, f := range d.Findings(t.Context()) {
		if f.Rule.ID != "T015" {
			continue
		}
		got, _ := d.ToFinding(t.Context(), f, nil)
		if got.Message != f.Message && !alike(got.Message, f.Message) || !strings.Contains(got.Text, `"type":"array"`) {
			t.Errorf("%s became %s\n%s", f.Message, got.Message, got.Text)
		}
		return
	}
	t.Fatal("the dialogue has no T015: ", d.Findings(t.Context()))
}

// Words of the protocol are not the user's, also as parts of a method.
func TestVocabulary_Words(t *testing.T) {
	for text, want := range map[string]bool{"server/discover": true, "discover": true, "inputSchema": true, "io.modelcontextprotocol/clientInfo": true, "2026-07-28": true, "Miller": false, "invoice": false} {
		if isVocabulary(text) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
}

// A reduction that ends early has the smallest dialogue so far, with the finding.
func TestToFinding_EndsWithItsContext(t *testing.T) {
	d := dialogueOf(t, handshake+`< {"jsonrpc":"2.0","id":"job","result":{}}`)
	for _, f := range d.Findings(t.Context()) {
		if f.Rule.ID != "J030" {
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		got, _ := d.ToFinding(ctx, f, func(p Progress) {
			if p.Checks == 3 {
				cancel()
			}
		})
		if !got.Limited || got.Frames == 0 || !strings.Contains(rulesOf(t, got.Text), "J030") {
			t.Errorf("limited %t after %d checks:\n%s", got.Limited, got.Checks, got.Text)
		}
		cancel()
	}
}

// What a hostile dialogue costs is bounded: the reduction ends with what it has, and the finding is still there.
func TestToFinding_WorkIsBounded(t *testing.T) {
	for name, value := range map[string]string{
		"deep": strings.Repeat(`{"a":`, 900) + "1" + strings.Repeat("}", 900),
		"wide": "[" + strings.Repeat("1234567,", 20_000) + "1]",
		"keys": "{" + strings.Repeat(`"k":1,`, 10_000) + `"z":1}`,
	} {
		text := handshake
		for i := range 20 {
			text += fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"pay_invoice","arguments":{"x":%s}}}`+"\n", i+10, value)
		}
		d := dialogueOf(t, text+`< {"jsonrpc":"2.0","id":"job","result":{}}`)
		for _, f := range d.Findings(t.Context()) {
			if f.Rule.ID != "J030" {
				continue
			}
			got, _ := d.ToFinding(t.Context(), f, nil)
			if !strings.Contains(rulesOf(t, got.Text), "J030") {
				t.Errorf("%s: after %d checks the finding is gone", name, got.Checks)
			}
		}
	}
}

// The subset is the smallest, in order, and the same when asked again.
func TestMinimize_SmallestSubset(t *testing.T) {
	for _, needed := range [][]int{{}, {0}, {9}, {3, 4}, {0, 5, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		got := minimize(10, func(keep []int) bool {
			for _, n := range needed {
				if !contains(keep, n) {
					return false
				}
			}
			return true
		})
		if fmt.Sprint(got) != fmt.Sprint(needed) {
			t.Errorf("%v, want %v", got, needed)
		}
	}
}

func contains(all []int, n int) bool {
	for _, x := range all {
		if x == n {
			return true
		}
	}
	return false
}
