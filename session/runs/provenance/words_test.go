package provenance_test

import (
	"encoding/json"
	"testing"

	"mcptea/session/runs/provenance"
)

// A text has a value only as words of their own, at any place in the text.
func TestValues_IsIn(t *testing.T) {
	var values provenance.Values
	if values.IsIn("x") || values.Len() != 0 {
		t.Error("an empty set has a value")
	}
	for _, v := range []any{"job-42", json.Number("48213"), "::", "-tail", "größe 7", "job-42"} {
		values.Add(v)
	}
	if values.Len() != 5 {
		t.Errorf("%d values, want 5", values.Len())
	}
	for leaf, want := range map[any]bool{
		"job-42": true, "created job-42.": true, "(job-42)": true, "job-420": false, "ajob-42": false, "job-4": false, "42": false,
		json.Number("48213"): true, "no. 48213": true, "148213": false, json.Number("4"): false,
		"a::b": true, "a:b": false, "x-tail": true, "tail": false, "die größe 7": true, "größe 70": false, true: false, "": false,
	} {
		if got := values.IsIn(leaf); got != want {
			t.Errorf("%v: %t, want %t", leaf, got, want)
		}
	}
}
