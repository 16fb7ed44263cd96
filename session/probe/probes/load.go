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

// callNoTool is a call of a tool that does not exist, with arguments.
func callNoTool(c *probe.Conn, arguments string) []byte {
	return c.Request("tools/call", `{"name":"mcptea-no-such-tool","arguments":`+arguments+`}`)
}

func largeValues(r *probe.Run) {
	if r.SkipIf(!r.Server.Has("tools"), "capability tools") {
		return
	}
	c := r.Dirty()
	var keys strings.Builder
	for i := range 20_000 {
		if i > 0 {
			keys.WriteByte(',')
		}
		keys.WriteString(`"k` + strconv.Itoa(i) + `":1`)
	}
	for _, s := range []struct{ name, arguments string }{
		{"a string of 1 MiB", `{"x":"` + strings.Repeat("m", 1<<20) + `"}`},
		{"20,000 members", "{" + keys.String() + "}"},
		{"a number beyond all types", `{"x":1e400}`},
		{"an integer of 400 digits", `{"x":` + strings.Repeat("9", 400) + `}`},
	} {
		o := r.Provoke(c, s.name, callNoTool(c, s.arguments))
		switch {
		case o.Took > 5*time.Second:
			r.Warn("The response to %s takes %s.", s.name, o.Took.Round(100*time.Millisecond))
		case o.Kind == probe.Silent && o.Status < 400 && s.name != "a number beyond all types":
			r.Warn("The server does not respond to a call with %s.", s.name)
		}
	}
}

func deepJSON(r *probe.Run) {
	if r.SkipIf(!r.Server.Has("tools"), "capability tools") {
		return
	}
	c := r.Dirty()
	for i, depth := range []int{1000, 10_000} {
		name := []string{"1,000 nested arrays", "10,000 nested arrays"}[i]
		r.Provoke(c, name, callNoTool(c, `{"d":`+strings.Repeat("[", depth)+strings.Repeat("]", depth)+`}`))
	}
}

func flood(r *probe.Run) {
	c := r.Fresh()
	lost := 0
	const bursts, size = 10, 50
	for i := range bursts {
		var frames [][]byte
		for k := range size {
			switch k % 5 {
			case 4:
				frames = append(frames, c.Request("mcptea/no-such-method", "{}"))
			default:
				frames = append(frames, c.Ping())
			}
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
