package probes

import (
	"bytes"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

func eofExit(r *probe.Run) {
	limit := r.LimitTime("eof-exit")
	names := []string{"the end of stdin when idle", "the end of stdin before any frame", "the end of stdin after half a frame"}
	offersNothing := r.Ready
	if !r.IsStateless() { // a server request could not get a response
		offersNothing = func() *probe.Conn { return connect(r, "{}") }
	}
	silent, tried := 1, false
	starts := []func() *probe.Conn{
		offersNothing,
		func() *probe.Conn { // the time counts from when it reads: it may still be starting
			c := r.Open()
			if tried {
				r.AwaitStartBeside(c)
			} else {
				r.AwaitStart(c)
			}
			tried = true
			return c
		},
		func() *probe.Conn {
			c := offersNothing()
			r.Send(c, []byte(`{"jsonrpc":"2.0","id":1,"meth`))
			return c
		},
	}
	r.OpenAhead(len(starts))
	for i, end := range r.Shutdown(starts, limit) {
		name := names[i]
		switch {
		case !end.HasProcess:
			r.Skip("no process")
		case end.Crashed && end.Signalled == "":
			r.Ended(name, end).Error("The server crashes at %s.", name)
		case end.Signalled != "" && r.StartsSlower(limit):
			startsTooSlowly(r)
		case end.Attempts == 3 && i == silent: // the server was still starting
		case wavered(r, &end, limit, name):
		case end.Signalled != "":
			r.Ended(name, end).Warn("The server does not exit within %s after %s; mcptea ended it with %s.", phrase.Duration(limit), name, end.Signalled)
		case len(end.Left) > 0:
			outlived(r.Ended(name, end), limit, "The server exits after "+name, end.Left)
		case end.Code != 0:
			r.Ended(name, end).Info("The server exits with status %d after %s.", end.Code, name)
		}
	}
}

// startsTooSlowly ends a probe whose limit is meaningless for a server that starts slowly. It names the flag
// that changes the limit.
func startsTooSlowly(r *probe.Run) {
	r.Unjudged("the server needs as much time to start as it is given to exit; --limit eof-exit=%d gives it more time", 2*int(math.Ceil(r.StartTime().Seconds())))
}

// wavered reports a process that ended in time in only one or two of three attempts. If it did in two,
// the finding is an info.
func wavered(r *probe.Run, end *probe.Exit, limit time.Duration, after string) bool {
	switch {
	case end.Once():
		r.Ended(after, *end).Info("In 1 of 3 attempts the server, or a process that it had started, was still running %s after %s.", phrase.Duration(limit), after)
	case end.Unsteady():
		r.Unjudged("in 2 of 3 attempts the server, or a process that it had started, was still running %s after %s", phrase.Duration(limit), after)
	default:
		return false
	}
	return true
}

// outlived reports processes that are still running some time after the server has exited. A process in its own
// session may be intended to stay.
func outlived(j probe.Judgment, limit time.Duration, what string, left []transport.Descendant) {
	of := func(apart bool) []transport.Descendant {
		return slices.DeleteFunc(slices.Clone(left), func(d transport.Descendant) bool { return d.Apart != apart })
	}
	if within := of(false); len(within) > 0 {
		j.Advise("Let the wrapper replace itself with the server (exec), or pass on the end of stdin and SIGTERM.").
			Warn("%s, but %s later %s. It was ended by mcptea.", what, phrase.Duration(limit), transport.RunningCommands(within))
	}
	if apart := of(true); len(apart) > 0 {
		j.Advise("End it with the server, unless it is meant to stay.").
			Info("%s, but %s later %s.", what, phrase.Duration(limit), transport.RunningCommands(apart))
	}
}

// clientKilled closes all pipes at the same time while a request is being answered. Without a request, this
// would be the same as the end of stdin. eofExit reports a server that keeps running after the end of stdin,
// too.
func clientKilled(r *probe.Run) {
	limit := r.LimitTime("eof-exit")
	end := r.Vanish(func() *probe.Conn {
		c := r.Ready()
		r.Send(c, c.List())
		return c
	}, limit)
	switch {
	case !end.HasProcess:
		r.Skip("no process")
		return
	case end.Signalled == "" && len(end.Left) == 0:
		return
	case r.StartsSlower(limit):
		startsTooSlowly(r)
		return
	case wavered(r, &end, limit, "the end of its client"):
		return
	}
	if plain := r.Shutdown([]func() *probe.Conn{r.Ready}, limit)[0]; plain.Signalled != "" || len(plain.Left) >= len(end.Left) && end.Signalled == "" {
		return // the server behaves in the same way at the end of stdin
	}
	j := r.Ended("all pipes closed at once", end)
	const what = "stdin, stdout and stderr were closed at once, as the end of a client does"
	if end.Signalled != "" {
		j.Warn("%s after %s, the server is still running; mcptea ended it with %s.", phrase.Duration(limit), what, end.Signalled)
		return
	}
	outlived(j, limit, "The server exits after "+what, end.Left)
}

// callLeft checks for processes started by a call. Processes left by every session are reported by eofExit.
func callLeft(r *probe.Run) {
	all := r.Callables()
	if r.SkipIf(len(all) == 0, "no callable tool") {
		return
	}
	limit, tool := r.LimitTime("eof-exit"), all[0]
	called := func() *probe.Conn {
		c := r.Ready()
		r.Call(c, "a call before the end", tool.Name, tool.Arguments)
		return c
	}
	end := r.Leftover(called, limit)
	if r.SkipIf(!end.HasProcess, "no process") || len(end.Left) == 0 {
		return
	}
	if wavered(r, &end, limit, "the end after a call of "+tool.Name) {
		return
	}
	if plain := r.Leftover(r.Ready, limit); len(plain.Left) >= len(end.Left) {
		return
	}
	outlived(r.Ended("the end after a call", end), limit, "The server exits after a call of "+tool.Name, end.Left)
}

func sigterm(r *probe.Run) {
	if r.SkipIf(runtime.GOOS == "windows", "Windows has no SIGTERM") {
		return
	}
	end, ok := r.Terminate(r.Ready, r.ExitTime())
	switch {
	case !ok:
		r.Skip("no process")
	case wavered(r, &end, r.ExitTime(), "SIGTERM"):
	case !end.Exited:
		r.Ended("SIGTERM", end).Warn("The server does not exit within %s after SIGTERM.", phrase.Duration(r.ExitTime()))
	case end.Crashed && end.Signalled == "" && end.Signal != "SIGTERM":
		r.Ended("SIGTERM", end).Warn("The server crashes at SIGTERM.")
	case len(end.Left) > 0:
		outlived(r.Ended("SIGTERM", end), r.ExitTime(), "The server exits after SIGTERM", end.Left)
	}
}

func invalidUTF8(r *probe.Run) {
	c := r.Dirty()
	frame := bytes.Replace(c.Request("ping", `{"_meta":{"x":"MARK"}}`), []byte("MARK"), []byte("\xff\xfe"), 1)
	if r.IsStateless() {
		frame = bytes.Replace(c.Request("server/discover", `{"x":"MARK"}`), []byte("MARK"), []byte("\xff\xfe"), 1)
	}
	o := r.Provoke(c, "a frame with invalid UTF-8", frame)
	if jsonrpc.Scan(o.Frame).Fault == jsonrpc.FaultNotUTF8 {
		r.Of(o).Error("The response to a frame with invalid UTF-8 is not valid UTF-8 either.")
	}
}

func framingAbuse(r *probe.Run) {
	c := r.Dirty()
	ping := string(c.Ping())
	job{Run: r}.run("P-106", "whole", ping, "length", strconv.Itoa(len(ping)), "lines", strings.ReplaceAll(string(c.Ping()), `,"`, ",\n\""))
}

func partialWrite(r *probe.Run) {
	c := r.Open(func(t *client.Target) { t.Piece, t.PieceInterval = probe.Piece, probe.PieceInterval })
	if r.SkipIf(c.Pid() == 0, "no process") {
		return
	}
	const odd = `"é😀é😀é😀é😀é😀é😀é😀é😀é😀é😀"`
	first := bytes.Replace(r.InitializeBody(), []byte(`"capabilities":{}`), []byte(`"capabilities":{"experimental":{"mcptea":{"x":`+odd+`}}}`), 1)
	second := c.Request("ping", `{"_meta":{"x":`+odd+`}}`)
	if r.IsStateless() {
		first = r.Maker().Request("server/discover", `{"x":`+odd+`}`)
		second = r.Maker().Request("server/discover", `{"x":`+odd+`}`)
	}
	// A server that takes long to start reads the first one whole.
	for i, frame := range [][]byte{first, second} {
		if i > 0 && !r.IsStateless() { // otherwise a server may exit because of the frame before it
			_ = c.Notify(r.Context(), "notifications/initialized", "") // the next request shows a failure
		}
		o := r.Ask(c, "a frame in pieces", frame)
		r.Quiet()
		more := max(len(o.Responses)-1, 0)
		for _, f := range c.Take() {
			if jsonrpc.Scan(f.Bytes).Kind.IsResponse() { // other text is for P-100
				more++
			}
		}
		switch {
		case o.Kind == probe.Error:
			inPieces(r, o, [][]byte{first, second}[:i+1]).Error("A frame that arrives in pieces gets %s.", probe.Describe(o))
		case o.Kind == probe.Result && more > 0:
			r.Of(o).Error("A frame that arrives in pieces gets %d responses.", more+1)
		}
		if o.Kind != probe.Result || more > 0 {
			return
		}
	}
}

// inPieces returns the Judgment of a frame sent in pieces. Its control is the same frames sent whole.
func inPieces(r *probe.Run, o probe.Outcome, frames [][]byte) probe.Judgment {
	whole := r.Replay(frames)
	if whole.Kind != probe.Result {
		return r.Of(o) // [Judgment.examine] reports the outcome of the plain form
	}
	return r.Of(o).Against("the same frame in one piece", whole)
}

// maxUnread is the number of response bytes that wait while stdout is not read, estimated from known sizes. It
// is at least two responses.
const maxUnread = 16 << 20

func backPressure(r *probe.Run) {
	c := r.Ready()
	n := 100
	kind, _ := r.Server.FirstList()
	if list := r.Server.Lists[kind.Name]; list != nil {
		n = min(n, max(2, maxUnread/max(1, list.FirstPage())))
	}
	frames := func(c *probe.Conn) [][]byte {
		all := make([][]byte, n)
		for i := range all {
			all[i] = c.List()
		}
		return all
	}
	d := r.UnreadTime()
	send := func() probe.Burst { return r.Unread(c, "requests while stdout is not read", frames(c), d) }
	plain := func() probe.Burst {
		other := r.Ready()
		return r.Burst(other, "as many requests while stdout is read", frames(other))
	}
	missing := func(_ int, o probe.Outcome) bool { return o.Kind > probe.Error }
	b := send().Against(plain).Repeatable(send)
	if n := b.Count(missing); n > 0 {
		r.OfBurst(b, missing).Error("%d of %d requests get no response after stdout was not read for %s.", n, len(b.Outcomes), phrase.Duration(d))
	}
}

func restartClean(r *probe.Run) {
	c, second := r.Ready(), r.Fresh()
	for kind := range completeLists(r) {
		first, again := r.Walk(c, kind), r.Walk(second, kind)
		changed := r.Differences(kind, first, again, func() *probe.List { return r.Walk(c, kind) })
		if len(changed) > 0 {
			r.Case("the lists after a restart", slices.Concat(first.Showing(changed[0]), again.Showing(changed[0]))...).Warn("After a restart the lists differ: the %s %q is different or missing.", kind.Noun, changed[0])
			return
		}
	}
}
