package reduce

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/jsontree"
)

// stepsOf reads calls of tools: a tool and its arguments on each line.
func stepsOf(t *testing.T, text string) *Case {
	t.Helper()
	c := &Case{Protocol: "2025-11-25"}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		tool, raw, _ := strings.Cut(strings.TrimSpace(line), " ")
		params := map[string]any{"name": tool}
		if raw != "" {
			arguments, ok := jsontree.Decode([]byte(raw))
			if !ok {
				t.Fatal(line)
			}
			params["arguments"] = arguments
		}
		c.Steps = append(c.Steps, Step{Method: "tools/call", Params: params})
	}
	return c
}

// server is a server that a test plays: it returns the error of a call, or the empty string.
type server func(tool string, argument func(name string) string) string

// schemas are those of the tools of the tests: their members are not the user's.
func schemas() map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, name := range []string{"find", "add", "put", "get", "remove", "query", "a", "b"} {
		v, _ := jsontree.Decode([]byte(`{"properties":{"q":{},"key":{},"sql":{},"x":{},"note":{},"items":{"items":{"properties":{"n":{},"who":{}}}}}}`))
		all[name] = v.(map[string]any)
	}
	return all
}

// try runs a case on a fresh server.
func try(fresh func() server) func(context.Context, *Case) (Outcome, error) {
	return func(_ context.Context, c *Case) (o Outcome, _ error) {
		s := fresh()
		o.Failed = map[int]bool{}
		for i := range c.Steps {
			failure := s(c.Steps[i].Subject(), func(name string) string {
				v, _ := jsontree.Get(c.Steps[i].Params, "arguments", name)
				if v == nil {
					return ""
				}
				return fmt.Sprint(v)
			})
			switch {
			case failure == "":
				o.Responses = append(o.Responses, `{"result":{}}`)
			case i < len(c.Steps)-1:
				o.Failed[i] = true
			default:
				o.Way, o.Text = ToolError, failure
			}
		}
		return o, nil
	}
}

func TestRun_SmallestCaseWithInventedValues(t *testing.T) {
	for _, c := range []struct {
		name, text string
		fresh      func() server
		want       string // the calls of the script
		needed     []string
	}{
		{"one value of four", "find {\"q\":\"Jane\"}\nadd {\"items\":[{\"n\":3,\"who\":\"Miller\"},{\"n\":-42,\"who\":\"Tanaka\"}],\"note\":\"for Jane\"}", func() server {
			return func(_ string, argument func(string) string) string {
				if strings.Contains(argument("items"), "-") {
					return "invalid quantity"
				}
				return ""
			}
		}, `call add {"items":[{"n":-1}]}`, nil},
		{"an order of two", "put {\"key\":\"a\"}\nget {\"key\":\"Miller\"}\nremove {\"key\":\"Miller\"}\nput {\"key\":\"b\"}\nget {\"key\":\"Miller\"}", func() server {
			removed := map[string]bool{}
			return func(tool string, argument func(string) string) string {
				if tool == "remove" {
					removed[argument("key")] = true
				}
				if tool == "get" && removed[argument("key")] {
					return "NoneType has no attribute"
				}
				return ""
			}
		}, `call remove; call get`, nil},
		{"a word that the failure needs", "query {\"sql\":\"select x NEAR 5 from Jane\"}", func() server {
			return func(_ string, argument func(string) string) string {
				if strings.Contains(argument("sql"), "NEAR") {
					return "syntax error"
				}
				return ""
			}
		}, `call query {"sql":"NEAR"}`, []string{"NEAR"}},
		{"a counter", "a\nb {\"x\":\"Jane\"}\na\nb\na", func() server {
			n := 0
			return func(tool string, _ func(string) string) string {
				if tool == "a" {
					n++
				}
				if n == 3 {
					return "out of handles"
				}
				return ""
			}
		}, `call a; call a; call a`, nil},
	} {
		result, err := Run(t.Context(), stepsOf(t, c.text), Options{Try: try(c.fresh), Runs: 500, Schemas: schemas()})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var calls []string
		for line := range strings.Lines(result.Case.Script("", 1)) {
			if strings.Contains(line, "call ") && !strings.HasPrefix(line, "#") {
				calls = append(calls, strings.TrimSpace(line))
			}
		}
		if got := strings.Join(calls, "; "); got != c.want || !slices.Equal(result.Needed, c.needed) || result.Failed != result.Tried {
			t.Errorf("%s: %s (needs %q, %d of %d), want %s", c.name, got, result.Needed, result.Failed, result.Tried, c.want)
		}
	}
}

// A server that fails now and then has its case reduced, too, and the rate is known.
func TestRun_NowAndThen(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		fresh := func() server {
			return func(_ string, argument func(string) string) string {
				if argument("mode") == "deep" && random.Float64() < 0.6 {
					return "the stream was closed"
				}
				return ""
			}
		}
		o := Options{Try: try(fresh), Runs: 500, Schemas: map[string]map[string]any{"scan": {"properties": map[string]any{"mode": map[string]any{"enum": []any{"deep", "flat"}}}}}}
		result, err := Run(t.Context(), stepsOf(t, "scan {\"mode\":\"flat\"}\nother\nscan {\"mode\":\"deep\",\"path\":\"/home/jane\"}"), o)
		if errors.Is(err, ErrNoFailure) {
			continue // it passed in all tries
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		} else if len(result.Case.Steps) > 2 || result.Failed == 0 || strings.Contains(result.Case.Script("", 1), "jane") {
			t.Errorf("seed %d: %d of %d\n%s", seed, result.Failed, result.Tried, result.Case.Script("", 1))
		}
	}
}

// A server that keeps something from run to run is noticed: nothing is proven on it.
func TestRun_StateFromRunToRun(t *testing.T) {
	rows := 0
	fresh := func() server {
		return func(tool string, _ func(string) string) string {
			if tool == "put" {
				rows++
			}
			if tool == "count" && rows >= 2 {
				return "page overflow"
			}
			return ""
		}
	}
	if _, err := Run(t.Context(), stepsOf(t, "put\nput\ncount"), Options{Try: try(fresh), Runs: 500}); !errors.Is(err, ErrState) {
		t.Errorf("rows that stay: %v", err)
	}
	// The rows of the recording are still there.
	c := stepsOf(t, "put\ncount\nput\ncount")
	for i := range c.Steps[:3] {
		c.Steps[i].Response = []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	}
	if _, err := Run(t.Context(), c, Options{Try: try(fresh), Runs: 500}); !errors.Is(err, ErrState) || !strings.Contains(err.Error(), "request 2 of the case (tools/call) passed in the recording and failed now") {
		t.Errorf("rows of the recording: %v", err)
	}
	cleared := func() server { rows = 0; return fresh() }
	result, err := Run(t.Context(), stepsOf(t, "put\nput\nput\ncount"), Options{Try: try(cleared), Runs: 500})
	if err != nil || len(result.Case.Steps) != 3 {
		t.Errorf("rows that are cleared: %v, %+v", err, result)
	}
}

// Without the failure there is no case; at the limit of runs, and at the end of the context, there is the smallest so far.
func TestRun_EndsEarly(t *testing.T) {
	passes := func() server { return func(string, func(string) string) string { return "" } }
	if _, err := Run(t.Context(), stepsOf(t, "a"), Options{Try: try(passes), Runs: 500}); !errors.Is(err, ErrNoFailure) {
		t.Errorf("a right server: %v", err)
	}
	fails := func() server {
		return func(tool string, _ func(string) string) string {
			if tool == "last" {
				return "broken"
			}
			return ""
		}
	}
	text := strings.Repeat("a {\"x\":\"Jane\"}\n", 40) + "last {\"who\":\"Miller\"}"
	result, err := Run(t.Context(), stepsOf(t, text), Options{Try: try(fails), Runs: 6})
	if err != nil || !result.Limited || result.Failed == 0 {
		t.Errorf("at the limit: %v, %+v", err, result)
	}
	ctx, cancel := context.WithCancel(t.Context())
	result, err = Run(ctx, stepsOf(t, text), Options{Try: try(fails), Runs: 500, Progress: func(_, runs int) {
		if runs == 8 {
			cancel()
		}
	}})
	cancel()
	if err != nil || !result.Limited || result.Failed == 0 || len(result.Case.Steps) == 0 {
		t.Errorf("at the end of the context: %v, %+v", err, result)
	}
}
