package probes

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record"
)

func batchAccepted(r *probe.Run) {
	c := r.Dirty()
	ping, cancel := `{"jsonrpc":"2.0","id":$id,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mcptea-unknown"}}`
	list := strings.Replace(ping, "ping", listMethod(r), 1)
	for _, batch := range [][]string{{ping, ping}, {ping, cancel, list}} {
		var frames [][]byte
		for _, f := range batch {
			frames = append(frames, complete(c, f))
		}
		o := r.Provoke(c, fmt.Sprintf("a batch of %d messages", len(batch)), jsonrpc.EncodeBatch(frames...))
		if want := strings.Count(strings.Join(batch, ""), "$id"); o.Kind != probe.Dead && len(o.Responses) != want {
			r.Of(o).Named("refuses-batch").Error("A batch with %s gets %s; 2025-03-26 requires that batches are received.", phrase.Count(want, "request"), phrase.Count(len(o.Responses), "response"))
		}
	}
	job{Run: r}.run("P-030 rest")
}

// maxAtOnce is the largest page of a list that is requested many times concurrently, in bytes. All responses
// are kept until they have been compared.
const maxAtOnce = 1 << 20

// kinds returns requests that the server supports, with the member that their results have. The member of ping
// is "".
func kinds(r *probe.Run) []client.ListKind {
	found := []client.ListKind{{Method: "ping"}}
	if r.IsStateless() {
		found[0] = client.ListKind{Method: "server/discover", Member: "capabilities"}
	}
	if life := r.SignOfLife(); life != found[0].Method {
		found = nil
	}
	for kind, list := range completeLists(r) {
		if list.FirstPage() <= maxAtOnce {
			found = append(found, kind)
		}
	}
	if len(found) == 0 {
		found = []client.ListKind{{Method: r.SignOfLife()}}
	}
	return found
}

// isMixedUp reports whether a result belongs to another of the concurrent requests and not to its own. Other
// mistakes in it are left to other probes.
func isMixedUp(o probe.Outcome, kind client.ListKind, asked []client.ListKind) bool {
	if o.Kind != probe.Result || kind.Member != "" && o.Member(kind.Member) != nil {
		return false
	}
	return slices.ContainsFunc(asked, func(other client.ListKind) bool {
		return other.Member != "" && other.Member != kind.Member && o.Member(other.Member) != nil
	})
}

const burst = 50

func parallel(r *probe.Run) {
	c := r.Shared()
	asked := kinds(r)
	send := func() probe.Burst {
		var frames [][]byte
		for i := range burst {
			frames = append(frames, c.Request(asked[i%len(asked)].Method, ""))
		}
		return r.Burst(c, "50 requests at once", frames)
	}
	b := send().Repeatable(send)
	for _, claim := range []struct {
		verdict  string
		sentence string
		bad      func(i int, o probe.Outcome) bool
	}{
		{"no-response", "%d of 50 requests at once get no response.", func(_ int, o probe.Outcome) bool { return o.Kind > probe.Error }},
		{"", "%d of 50 requests at once get the result of another request.", func(i int, o probe.Outcome) bool { return isMixedUp(o, asked[i%len(asked)], asked) }},
		{"", "%d of 50 requests at once get two responses.", func(_ int, o probe.Outcome) bool { return o.Kind <= probe.Error && len(o.Responses) > 1 }},
	} {
		if n := b.Count(claim.bad); n > 0 {
			r.OfBurst(b, claim.bad).Named(claim.verdict).Error(claim.sentence, n)
		}
	}
}

func idCollision(r *probe.Run) {
	kind, _ := r.Server.FirstList()
	c := r.Dirty()
	ping := kinds(r)[0]
	ids := []jsonrpc.ID{jsonrpc.IDOf("51"), jsonrpc.IDOf(`"51"`)}
	both := []client.ListKind{kind, ping}
	b := r.Burst(c, "the ids 51 and \"51\" at once", [][]byte{c.RequestAs(ids[0], kind.Method, ""), c.RequestAs(ids[1], ping.Method, "")})
	wrong := func(o probe.Outcome) bool {
		return o.Kind <= probe.Error && !o.ID.Same(jsonrpc.Scan(o.Sent).ID.Of(o.Sent).ID())
	}
	// A repetition may affect the other one of the two.
	bad := func(i int, o probe.Outcome) bool {
		return o.Kind > probe.Error || wrong(o) || isMixedUp(o, both[i], both)
	}
	for i, o := range b.Outcomes {
		switch {
		case o.Kind == probe.Unsent || !bad(i, o):
			continue
		case o.Kind > probe.Error:
			r.OfBurst(b, bad).Named("no-response").Error("Of two requests with the ids 51 and \"51\" at once, %s gets no response.", both[i].Method)
		case wrong(o):
			r.OfBurst(b, bad).Error("Of two requests with the ids 51 and \"51\" at once, %s gets a response with the id %s.", both[i].Method, o.ID)
		default:
			r.OfBurst(b, bad).Error("Two requests with the ids 51 and \"51\" at once get each other's results.")
		}
		break
	}
	first := r.Ask(c, "a request with the id \"again\"", c.RequestAs(jsonrpc.IDOf(`"again"`), ping.Method, ""))
	again := func() probe.Outcome {
		return r.Provoke(c, "the same id again", c.RequestAs(jsonrpc.IDOf(`"again"`), ping.Method, ""))
	}
	second := again()
	if first.Kind == probe.Result && second.Kind != probe.Result && r.IsStateless() {
		r.Of(second).Again(again).Named("rejects-id").Error("The server rejects an id that it has answered before; only pending ids must be unique.")
	}
}

// slowTool returns the first tool whose newest call took long, or nil.
func slowTool(r *probe.Run, long func(time.Duration) bool) *probe.Subject {
	for _, s := range r.Callables() {
		if long(r.Took(s.Name)) {
			return &s
		}
	}
	return nil
}

func slowDoesNotBlock(r *probe.Run) {
	slow := slowTool(r, r.IsLasting)
	if r.SkipIf(slow == nil, "no callable tool that takes 2 s") {
		return
	}
	c := r.Shared()
	frame := c.Request("tools/call", `{"name":`+probe.JSON(slow.Name)+`,"arguments":`+slow.Arguments+`}`)
	call, ping := r.During(c, "a ping during a slow call", frame, c.Ping())
	if call.Kind == probe.Result && r.IsSlow(probe.SlowOthers, ping.Took) && ping.Took > call.Took*3/4 {
		r.Of(ping).Info("A ping during a call of %s waits for the end of the call (%s): the server may work on one request at a time.", slow.Name, shown(ping.Took))
	}
}

func crossConnectionIDs(r *probe.Run) {
	asked := kinds(r)
	a, b := r.Fresh(), r.Fresh()
	last := asked[len(asked)-1]
	if r.SkipIf(len(asked) < 2, "capability with a list") {
		return
	}
	const rounds = 25
	both := []client.ListKind{asked[0], last}
	send := func(i int) probe.Burst {
		id := jsonrpc.IntID(int64(10_000 + i))
		return r.BurstOver("equal ids on two connections", []*probe.Conn{a, b}, [][]byte{
			a.RequestAs(id, asked[0].Method, ""), b.RequestAs(id, last.Method, ""),
		})
	}
	missing := func(_ int, o probe.Outcome) bool { return o.Kind > probe.Error }
	mixed := func(i int, o probe.Outcome) bool { return isMixedUp(o, both[i%2], asked) }
	for i := range rounds {
		sent := send(i).Repeatable(func() probe.Burst { return send(rounds + i) })
		switch {
		case sent.Count(missing) > 0:
			r.OfBurst(sent, missing).Error("A request gets no response when another client sends one with the same id at the same time.")
			return
		case sent.Count(mixed) > 0:
			r.OfBurst(sent, mixed).Error("A client gets the result of another client's request, which has the same id.")
			return
		}
	}
}

// canary checks whether a connection receives messages of another one.
func canary(r *probe.Run) {
	a, b := r.Fresh(), r.Fresh()
	name := "mcptea-" + r.Random()
	r.Ask(b, "ping", b.Ping())
	b.Take()
	if r.Server.Has("logging") && !r.IsStateless() {
		r.Ask(a, "logging/setLevel debug", a.Request("logging/setLevel", `{"level":"debug"}`))
	}
	subscribed := ""
	if items := r.Server.Items(client.Resources); r.Server.Has("resources.subscribe") && len(items) > 0 && !r.IsStateless() {
		subscribed = jsonrpc.Text(items[0], "uri")
		r.Ask(a, "resources/subscribe", a.Request("resources/subscribe", `{"uri":`+probe.JSON(subscribed)+`}`))
	}
	if r.Server.Has("tools") { // the progress token is the name, too
		r.Exchange(a, "a call with a random name", name, a.Request("tools/call", `{"name":"`+name+`","arguments":{"text":"`+name+`"},"_meta":{"progressToken":"`+name+`"}}`))
	}
	if r.Server.Has("resources") {
		r.Ask(a, "a read with a random name", a.Request("resources/read", `{"uri":"mcptea-probe://`+name+`"}`))
	}
	r.Linger()
	list := r.Ask(b, "a list on the other connection", b.List())
	if bytes.Contains(list.Frame, []byte(name)) {
		r.Of(list).Error("The response to one connection has the name that another one has used.")
	}
	for _, f := range b.Take() {
		e := jsonrpc.Scan(f.Bytes)
		switch method := e.MethodName(f.Bytes); {
		case bytes.Contains(f.Bytes, []byte(name)):
			r.Shown(f).About(lint.Error, "", "A connection gets a message with the name that another connection has used.")
			return
		case subscribed != "" && method == "notifications/resources/updated" && jsonrpc.Text(e.Params.Of(f.Bytes), "uri") == subscribed:
			r.Shown(f).About(lint.Error, "", "A connection gets %s, which belongs to another connection.", method)
			return
		}
	}
}

// shown rounds a duration for a message.
func shown(d time.Duration) time.Duration { return d.Round(time.Duration(10_000_000)) }

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
	p95 := record.Quantile(took, 95)
	r.Measure("p50_ms", milliseconds(record.Quantile(took, 50)))
	r.Measure("p95_ms", milliseconds(p95))
	r.Measure("max_ms", milliseconds(took[len(took)-1]))
	r.Measure("connect_ms", float64(r.Server.Took))
	if limit := r.Limit("ping-p95"); milliseconds(p95) > limit {
		r.Case("pings").Info("95%% of the pings take up to %.1f ms; the threshold is %g ms.", milliseconds(p95), limit)
	}
}

func largeValues(r *probe.Run) {
	var keys []string
	for i := range 20_000 {
		keys = append(keys, `"k`+strconv.Itoa(i)+`":1`)
	}
	job{Run: r}.run("P-186", "large", strings.Repeat("m", 1<<20), "members", "{"+strings.Join(keys, ",")+"}", "digits", strings.Repeat("9", 400))
}

func deepJSON(r *probe.Run) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	job{Run: r}.run("P-187", "thousand", nested(1000), "many", nested(10_000))
}

func flood(r *probe.Run) {
	c := r.Ready()
	const bursts, size = 10, 50
	missing := func(_ int, o probe.Outcome) bool { return o.Kind > probe.Refused }
	for i := range bursts {
		send := func() probe.Burst {
			var frames [][]byte
			for k := range size {
				frame := c.Ping()
				if k%5 == 4 {
					frame = c.Request("mcptea/no-such-method", "{}")
				}
				frames = append(frames, frame)
			}
			return r.Burst(c, "burst "+strconv.Itoa(i+1), frames)
		}
		b := send().Repeatable(send)
		if n := b.Count(missing); n > 0 {
			r.OfBurst(b, missing).Error("%d of %d requests at once get no response, in burst %d of %d.", n, size, i+1, bursts)
			return
		}
	}
}

func churn(r *probe.Run) {
	rounds, end := 10, r.Close
	if r.Server.Transport == "stdio" {
		rounds, end = 3, r.Release
	}
	for range rounds {
		c := r.Fresh()
		if o := r.Ask(c, "ping on a new connection", c.Ping()); o.Kind > probe.Error {
			r.Of(o).Named("no-response").Error("One of %d connections, one after the other, gets no response to ping.", rounds)
			return
		}
		end(c)
	}
	if r.EndsOthers() {
		r.Case("a second process beside the first").Info("The server process ends when another one is started: only one client at a time can use the server.")
		return
	}
	a, b := r.Ready(), r.Ready()
	for _, c := range []*probe.Conn{a, b} {
		if o := r.Ask(c, "ping on two connections at once", c.Ping()); o.Kind > probe.Error {
			r.Of(o).Info("A second connection beside the first may not work: %s.", probe.Describe(o))
		}
	}
}
