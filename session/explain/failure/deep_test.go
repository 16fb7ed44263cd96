package failure

import (
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// A response with a value that is nested too deeply is explained by its size and by the limit.
func TestExplain_OpaqueResponse(t *testing.T) {
	line := `{"jsonrpc":"2.0","result":` + strings.Repeat("[", 60_000) + strings.Repeat("]", 60_000) + `,"id":7}`
	err := client.InvalidResponse([]byte(line))
	if err == nil {
		t.Fatal("the response is valid")
	}
	e := Explain(err, Facts{Connected: true})
	levels := phrase.Digits(jsonrpc.MaxDepth)
	if want := "The response to request 7 is opaque: a value in its 120 kB is nested deeper than " + levels + " levels."; e.Sentence != want {
		t.Errorf("%q, want %q", e.Sentence, want)
	}
	if len(e.Causes) != 1 || !strings.Contains(e.Causes[0].Cause, " may ") || !strings.Contains(e.Causes[0].Remedy.Text, levels) || !strings.Contains(e.Causes[0].Remedy.Text, "--trace") {
		t.Errorf("%+v", e.Causes)
	}
	if !strings.Contains(jsonrpc.FaultTooDeep.String(), levels) || !strings.Contains(strings.Join(jsonrpc.FlawTooDeep.Texts(), ""), levels) {
		t.Error("the texts of jsonrpc have another limit")
	}
}
