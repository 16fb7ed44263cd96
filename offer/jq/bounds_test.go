package jq_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcptea/internal/test/raced"
	"mcptea/offer/jq"
)

// A filter that would take any amount of memory, in one step or in many, ends at the bound, which its
// error names; the engine works afterwards. Without it, each takes gigabytes or does not end.
func TestJQ_MemoryIsBounded(t *testing.T) {
	e := loaded(t, weather)
	for _, filter := range []string{
		`"x"*1000000000|length`,
		`[range(1e9)]`,
		`reduce range(60) as $i ([1]; [.,.])`, // small, but as text without end
		`reduce range(60) as $i ("x"*1000; @base64)|length`,
		`reduce range(40) as $i (10; .*.)`,
	} {
		_, err := e.Run(t.Context(), mustCompile(t, filter))
		if text := fmt.Sprint(err); text != "the filter takes more than 128 MB of memory" && text != "the filter takes longer than 2s" {
			t.Errorf("%s: %v", filter, err)
		}
	}
	if values, err := e.Run(t.Context(), mustCompile(t, ".structuredContent.city")); err != nil || len(values) != 1 || string(values[0]) != `"Lisbon"` {
		t.Errorf("%s, %v", values, err)
	}
}

// So are names that are proposed while a filter is typed.
func TestJQ_NamesAreBounded(t *testing.T) {
	e := loaded(t, weather)
	for _, text := range []string{`def f: f; f | .`, `"x"*1000000000 | .`} {
		if names, _ := e.Names(t.Context(), text); len(names) > 0 {
			t.Errorf("%s: %q", text, names)
		}
	}
	if names, _ := e.Names(t.Context(), ".structuredContent.c"); len(names) != 1 {
		t.Errorf("%q", names)
	}
}

// The bound without the others, where values are printed without end.
func TestJQ_Values_MemoryIsBounded(t *testing.T) {
	e := loaded(t, weather)
	for filter, want := range map[string]string{
		`1, ("x"*1000000000)`: "the filter takes more than 128 MB of memory",
		`1, error("no")`:      "error: no",
	} {
		q := mustCompile(t, filter)
		values, failed := 0, error(nil)
		for _, err := range e.Values(t.Context(), q) {
			if err != nil {
				failed = err
				break
			}
			values++
		}
		if values == 0 || want != "" && (failed == nil || failed.Error() != want) {
			t.Errorf("%s: %d values, %v", filter, values, failed)
		}
	}
	q := mustCompile(t, "repeat(1)") // without end
	n := 0
	for _, err := range e.Values(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 5000 {
			break
		}
	}
	if values, err := e.Run(t.Context(), q); !strings.HasPrefix(fmt.Sprint(err), "more than 1000 values or 4 MB") || len(values) != 1000 {
		t.Errorf("%d values, %v", len(values), err)
	}
}

// What is read may be many times larger than it was sent; a table of usual rows is not too large.
func TestJQ_InputIsBounded(t *testing.T) {
	raced.Never(t, "is about the bounds of a process of its own, which the detector makes ten times slower")
	var e jq.Engine
	defer e.Close()
	err := e.Load(t.Context(), []byte("["+strings.Repeat(`{"":0},`, 1_000_000)+"0]"))
	if fmt.Sprint(err) != "the filter takes more than 181 MB of memory" {
		t.Errorf("small objects: %v", err)
	}
	if err := e.Load(t.Context(), []byte("{\"a\":")); err == nil {
		t.Error("invalid JSON is read")
	}
	if err := e.Load(t.Context(), []byte("["+strings.Repeat(`{"a":1,"b":"text"},`, 200_000)+"0]")); err != nil {
		t.Fatal(err)
	}
	q := mustCompile(t, "map(.a?)|length")
	if values, err := e.Run(t.Context(), q); err != nil || string(values[0]) != "200000" {
		t.Errorf("%s, %v", values, err)
	}
}

// What is not needed any more is ended at once, also in a step that cannot be interrupted.
func TestJQ_EndsWithItsContext(t *testing.T) {
	e := loaded(t, weather)
	for _, filter := range []string{`def f: f; f`, `reduce range(60) as $i ([1]; [.,.])|contains([9])`} {
		ctx, stop := context.WithCancelCause(t.Context())
		began := make(chan struct{})
		go func() {
			<-began
			stop(errors.New("the next key"))
		}()
		for v, err := range e.Values(ctx, mustCompile(t, "1, ("+filter+")")) {
			if err != nil {
				if err.Error() != "the next key" {
					t.Errorf("%s: %v", filter, err)
				}
				break
			}
			if string(v) == "1" {
				close(began)
			}
		}
	}
}

func mustCompile(t *testing.T, filter string) *jq.Query {
	t.Helper()
	q, err := jq.Compile(filter)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
