package jq_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mcptea/offer/jq"
)

const weather = `{"content":[{"type":"text","text":"x"}],"structuredContent":{"city":"Lisbon","days":[{"day":"mon","high":21},{"day":"tue","high":19.50}],"id":12345678901234567890}}`

// loaded is an engine with an input.
func loaded(t *testing.T, input string) *jq.Engine {
	t.Helper()
	var e jq.Engine
	t.Cleanup(e.Close)
	if err := e.Load(t.Context(), []byte(input)); err != nil {
		t.Fatal(err)
	}
	return &e
}

func TestJQ_Run(t *testing.T) {
	e := loaded(t, weather)
	for _, tt := range []struct{ filter, want, err string }{
		{".structuredContent.city", `"Lisbon"`, ""},
		{".structuredContent.days[].high", "21 19.50", ""},
		{".structuredContent.id", "12345678901234567890", ""}, // as it was sent
		{"[.structuredContent.days[] | select(.high > 20) | .day]", `["mon"]`, ""},
		{"empty", "", ""},
		{"1, error(\"no\"), 2", "1", "no"},
		{"range(2000)", "", "more than 1000"},
		{"[limit(3; repeat(1))]", "[1,1,1]", ""},
		{"env | length", "0", ""},
		{"1, halt, 2", "1", ""},
		// Members are in the order of the filter, or of what was read.
		{".structuredContent | {id, city}", `{"id":12345678901234567890,"city":"Lisbon"}`, ""},
		{".structuredContent | {city, \"id\": 1}", `{"city":"Lisbon","id":1}`, ""},
		{"[.structuredContent.days[] | {high, day}]", `[{"high":21,"day":"mon"},{"high":19.50,"day":"tue"}]`, ""},
		{".structuredContent.days[0] + {a: 1}", `{"day":"mon","high":21,"a":1}`, ""},
		{".structuredContent | del(.days)", `{"city":"Lisbon","id":12345678901234567890}`, ""},
		{"{z: 1} as $o | {$o, (\"b\", \"a\"): 2}", `{"o":{"z":1},"b":2} {"o":{"z":1},"a":2}`, ""},
		{"{a: {c: 1, b: 2}} | map_values({b, c})", `{"a":{"b":2,"c":1}}`, ""},
	} {
		q, err := jq.Compile(tt.filter)
		if err != nil {
			t.Errorf("%s: %v", tt.filter, err)
			continue
		}
		values, err := e.Run(t.Context(), q)
		var all []string
		for _, v := range values {
			all = append(all, string(v))
		}
		if got := strings.Join(all, " "); tt.want != "" && got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %s, %v", tt.filter, got, err)
		}
	}
}

// A filter without end is stopped.
func TestJQ_Run_IsStopped(t *testing.T) {
	q, err := jq.Compile("def f: f; f")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("the next key"))
	if _, err := loaded(t, weather).Run(ctx, q); err == nil || err.Error() != "the next key" {
		t.Error(err)
	}
}

func TestJQ_SyntaxErrorsHaveAPlace(t *testing.T) {
	for filter, at := range map[string]int{".a |": 4, ".a[": 3, ".a ) .b": 3, "nosuch(.)": 9} {
		_, err := jq.Compile(filter)
		var wrong *jq.SyntaxError
		if !errors.As(err, &wrong) || wrong.At != at || wrong.Text == "" {
			t.Errorf("%s: %+v", filter, err)
		}
	}
}

func TestJQ_Names(t *testing.T) {
	e := loaded(t, weather)
	for filter, want := range map[string]string{
		".":                                    "content structuredContent",
		".struc":                               "structuredContent",
		".structuredContent.":                  "city days id",
		".structuredContent.days[].":           "day high",
		".structuredContent.days[].h":          "high",
		".structuredContent.days | map(.d":     "day",
		".structuredContent.days[] | select(.": "day high",
		".structuredContent.city.":             "",
		".nothing.":                            "",
		"length":                               "",
		".structuredContent | .c":              "city",
	} {
		names, from := e.Names(t.Context(), filter)
		if got := strings.Join(names, " "); got != want || want != "" && !strings.HasSuffix(filter[:from], ".") {
			t.Errorf("%s: %q from %d", filter, got, from)
		}
	}
}
