package probes

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/session/lint"
	"mcptea/session/probe"
)

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func pingLatency(r *probe.Run) {
	c := r.Shared()
	var took []time.Duration
	const warmUp, rounds = 5, 50
	for i := range warmUp + rounds {
		o := r.Ask(c, "ping", c.Ping())
		if o.Kind > probe.Error {
			return
		}
		if i >= warmUp {
			took = append(took, o.Took)
		}
	}
	slices.Sort(took)
	p95 := took[len(took)*95/100]
	r.Measure("p50_ms", milliseconds(took[len(took)/2]))
	r.Measure("p95_ms", milliseconds(p95))
	r.Measure("max_ms", milliseconds(took[len(took)-1]))
	r.Measure("connect_ms", float64(r.Server.Took))
	if limit := r.Limit("ping-p95"); milliseconds(p95) > limit {
		r.Warn("95%% of the pings take up to %.1f ms; the threshold is %g ms.", milliseconds(p95), limit)
	}
}

// callNoTool sends a call of a tool that does not exist; the params are its arguments.
func callNoTool(r *probe.Run, s sample) probe.Outcome {
	s.method, s.params = "tools/call", `{"name":"mcptea-no-such-tool","arguments":`+s.params+`}`
	return provoke(r, s)
}

func largeValues(r *probe.Run) {
	if r.SkipIf(!r.Server.Has("tools"), "capability tools") {
		return
	}
	var keys strings.Builder
	for i := range 20_000 {
		if i > 0 {
			keys.WriteByte(',')
		}
		keys.WriteString(`"k` + strconv.Itoa(i) + `":1`)
	}
	for _, s := range []sample{
		{name: "a string of 1 MiB", params: `{"x":"` + strings.Repeat("m", 1<<20) + `"}`},
		{name: "20,000 members", params: "{" + keys.String() + "}"},
		{name: "a number beyond all types", params: `{"x":1e400}`, odd: true},
		{name: "an integer of 400 digits", params: `{"x":` + strings.Repeat("9", 400) + `}`},
	} {
		o := callNoTool(r, s)
		if o.Took > 5*time.Second {
			r.Warn("The response to %s takes %s.", s.name, o.Took.Round(100*time.Millisecond))
			continue
		}
		judge(r, s, o, verdict{and(isSilent, not(isOdd)), lint.Warn, "The server does not respond to a call with {case}."})
	}
}

func deepJSON(r *probe.Run) {
	if r.SkipIf(!r.Server.Has("tools"), "capability tools") {
		return
	}
	try(r, callNoTool, []sample{
		{name: "1,000 nested arrays", params: `{"d":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`},
		{name: "10,000 nested arrays", params: `{"d":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`},
	})
}

func flood(r *probe.Run) {
	c := r.Fresh()
	lost := 0
	const bursts, size = 10, 50
	for i := range bursts {
		var frames [][]byte
		for k := range size {
			frame := c.Ping()
			if k%5 == 4 {
				frame = c.Request("mcptea/no-such-method", "{}")
			}
			frames = append(frames, frame)
		}
		for _, o := range r.Burst(c, "burst "+strconv.Itoa(i+1), frames) {
			if o.Kind > probe.Refused {
				lost++
			}
		}
	}
	if lost > 0 {
		r.Error("%d of %d requests in bursts of %d get no response.", lost, bursts*size, size)
	}
}

func churn(r *probe.Run) {
	rounds := 10
	if r.Server.Transport == "stdio" {
		rounds = 3
	}
	for range rounds {
		c := r.Fresh()
		if o := r.Ask(c, "ping on a new connection", c.Ping()); o.Kind > probe.Error {
			r.Error("One of %d connections, one after the other, gets no response to ping.", rounds)
			return
		}
		r.Close(c)
	}
	a, b := r.Fresh(), r.Fresh()
	for _, c := range []*probe.Conn{a, b} {
		if o := r.Ask(c, "ping on two connections at once", c.Ping()); o.Kind > probe.Error {
			r.About(lint.Warn, "", "A second connection beside the first does not work: %s.", probe.Describe(o))
		}
	}
}
