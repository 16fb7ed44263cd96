package use

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
)

// errOver reports that --for ended while there was no connection.
var errOver = errors.New("--for is over")

// lostError is the outcome of a request that got no response while listening started.
type lostError struct{ error }

// failed handles the error of such a request: with --reconnect it is sent again on a new connection, unless the
// server has rejected it.
func (l *listener) failed(err error) error {
	var refused *client.RPCError
	if l.flags.reconnect && l.p.Ctx.Err() == nil && !errors.As(err, &refused) {
		return lostError{err}
	}
	return l.p.Outcome(l.s, err)
}

// lookAtStream checks the notification stream of an HTTP server before 2026-07-28, which the transport reopens
// by itself. If reopening gets no response, the server is gone. A reopened stream may lack changes. Without a
// stream, no notification can arrive.
func (l *listener) lookAtStream() (again bool, err error) {
	st := l.s.State()
	if st.Handshake.Revision.IsStateless() {
		return false, nil // the subscription is its stream
	}
	exchanges := l.s.Store().ExchangesSince(st.Started)
	if err := l.lookAtEnds(exchanges); err != nil {
		return true, err
	}
	refusals := 0
	for _, x := range exchanges {
		switch {
		case x.Purpose != "listen" || x.Status == 0 && x.Err == "": // another request, or one that is still pending
			continue
		case x.Status == 0 && refusals == 0:
			return true, l.lost(errors.New(x.Err))
		case x.Status == 0:
			return false, nil
		case !mcphttp.OpensStream(&x) && x.Phase != transport.ExchangeDone:
			return false, nil // the body of the response is arriving
		case !mcphttp.OpensStream(&x):
			if refusals++; mcphttp.IsFinalRefusal(x.Status) || refusals == mcphttp.MaxReconnects {
				return true, l.streamRefused(&x)
			}
			if l.refused == 0 {
				l.refused = x.ID
				l.say("the stream of notifications is refused: " + refusalText(&x) + refusedStream(&x) + "; it is requested again")
			}
			continue
		case refusals > 0 || x.ID == l.stream:
			return false, nil
		}
		l.refused = 0
		before := l.stream
		if l.stream = x.ID; before != 0 && l.flags.reconnect {
			return true, l.missed()
		}
		return false, nil
	}
	return false, nil
}

// lookAtEnds detects a stream that repeatedly ends right after it was opened. The exchanges are
// newest first.
func (l *listener) lookAtEnds(exchanges []transport.Exchange) error {
	const noticed, soon = 3, time.Second
	ends := 0
	for _, x := range exchanges {
		if x.Purpose != transport.PurposeListen || x.Phase != transport.ExchangeDone && x.Status == 0 {
			continue
		}
		if !mcphttp.OpensStream(&x) || x.Phase != transport.ExchangeDone || x.Events > 0 || x.Took > soon {
			break
		}
		ends++
	}
	const hint = "The server, or a proxy in front of it, ends each stream of GET. A server may do so for a second stream of a session while it considers the first one open."
	text := fmt.Sprintf("the stream of notifications ended as soon as it was opened, %d times", ends)
	if ends >= mcphttp.MaxReconnects {
		return app.FailedWith(hint, "no notifications can arrive: %s", text)
	}
	if ends >= noticed && !l.ending {
		l.ending = true
		l.say(text + "; it is opened again. " + hint)
	}
	return nil
}

// streamPatience is the duration after which a pending GET of a stream is reported.
const streamPatience = 5 * time.Second

// lookAtSilence reports, once, that the GET of the notification stream has no response yet.
func (l *listener) lookAtSilence() {
	st := l.s.State()
	if l.silent || st.Handshake.Revision.IsStateless() {
		return
	}
	for _, x := range l.s.Store().ExchangesSince(st.Started) {
		if x.Purpose != transport.PurposeListen {
			continue
		}
		if x.Status == 0 && x.Err == "" {
			l.silent = true
			l.say("GET, which opens the stream of notifications, has no response yet, not even headers. The server, or a proxy in front of it, may hold them back until the first event, so that clients wait. In the server: send the headers and a comment as soon as the stream is opened.")
		}
		return
	}
}

// streamRefused returns the error of a listener that can receive nothing: before 2026-07-28, a server sends its
// own messages only on the stream of GET, or while it responds to a request.
func (l *listener) streamRefused(x *transport.Exchange) error {
	if err := errors.Join(l.read(), l.flush()); err != nil || l.complete() {
		return err
	}
	hint, by := "Check the server, and any proxy between it and mcptea.", x.ResponseHeader.Get("Server")
	switch {
	case x.Status/100 == 2 && jsonrpc.Scan(x.ResponseBody).Kind.IsResponse() || x.Status/100 == 2 && mcphttp.IsJSON(mcphttp.MediaType(x.ResponseHeader)):
		hint = "The server responds to GET as to a message. It must return an event stream, or 405 if it has none (basic / transports, Listening for Messages from the Server)."
	case x.Status == http.StatusMethodNotAllowed:
		hint = "A server without this stream sends notifications only while it responds to a request."
	case x.Status == http.StatusConflict:
		hint = "The server counts another stream of this session as open, and mcptea has opened no other: it may have kept one that has ended, or it has one session for all clients."
	case by != "":
		hint = "Check the server, and any proxy between it and mcptea (the Server header is " + phrase.Quote(by, maxShownHeader) + ")."
	}
	return app.FailedWith(hint, "no notifications can arrive, since the stream for them is refused: %s", refusalText(x))
}

// maxShownHeader bounds a header in a sentence, in bytes.
const maxShownHeader = 60

// refusalText returns an exchange whose response is not the stream that was requested.
func refusalText(x *transport.Exchange) string {
	text := fmt.Sprintf("%s %s returned %s", x.Method, x.URL, transport.StatusText(x.Status))
	if x.Status/100 == 2 {
		kind := "no Content-Type"
		if sent := x.ResponseHeader.Get("Content-Type"); sent != "" {
			kind = "Content-Type " + phrase.Quote(sent, maxShownHeader)
		}
		text += " with " + kind + " instead of an event stream"
	}
	if body := phrase.Body(x.ResponseBody, -1, maxSaid); body != "" {
		text += ": " + body
	}
	return text
}

// maxSaid bounds the body of a refusal in a sentence, in bytes.
const maxSaid = 200

// reconnect replaces a lost connection and listens on the new one. It retries until that succeeds or the
// command ends.
func (l *listener) reconnect(lost error) error { return l.connectUntil(lost, l.reconnected) }

// connectAgain replaces a lost connection. It retries until that succeeds or the command ends.
func (l *listener) connectAgain(lost error) error {
	return l.connectUntil(lost, func() error { return nil })
}

// connectUntil makes connections until begin succeeds on one.
func (l *listener) connectUntil(lost error, begin func() error) error {
	ctx, stop := context.WithCancel(l.p.Ctx)
	defer stop()
	if !l.deadline.IsZero() {
		ctx, stop = context.WithDeadlineCause(ctx, l.deadline, errOver)
		defer stop()
	}
	l.pauses.Lasted(time.Since(l.since)) // a server that ends each connection must not be asked all the time
	for err := error(lostError{lost}); ; {
		if gone := (lostError{}); errors.As(err, &gone) {
			l.say("connection lost: " + err.Error())
			if l.sub != nil {
				l.sub.Close()
			}
			l.sub, l.subscribed, l.stream = nil, nil, 0
		} else {
			l.say("cannot connect: " + err.Error())
		}
		pause := l.pauses.Next()
		l.say("connecting again in " + app.DurationText(pause))
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
		if err = ctx.Err(); err == nil {
			err = l.s.Restart(ctx)
		}
		switch cause := context.Cause(ctx); {
		case l.p.Ctx.Err() != nil:
			return context.Cause(l.p.Ctx)
		case errors.Is(cause, errOver):
			return errOver
		case err == nil:
			l.since = time.Now()
			if err = begin(); !errors.As(err, &lostError{}) {
				return err
			}
		}
	}
}

// reconnected listens on a new connection.
func (l *listener) reconnected() error {
	if err := l.open(); err != nil {
		return err
	}
	return l.missed()
}

// missed fetches the lists again and prints how they changed while there was no connection. No notification
// reported these changes, so none is counted.
func (l *listener) missed() error {
	kinds := l.s.Config().Lists
	// A list that was requested before the subscription may lack a change in between.
	if _, err := l.p.LoadLists(l.s, link.Nothing, kinds...); err != nil {
		return err
	}
	for _, k := range kinds {
		l.s.Fetch(k)
	}
	lists, err := l.p.LoadLists(l.s, link.Nothing, kinds...)
	if err != nil {
		return err
	}
	var methods []string
	for _, k := range kinds {
		if slices.Contains(methods, k.Changed) {
			continue
		}
		methods = append(methods, k.Changed)
		names := l.fetched(k.Changed)
		if i := slices.IndexFunc(names, func(name string) bool { return lists[name].Err != nil }); i >= 0 {
			l.say(fmt.Sprintf("cannot fetch %s again: %v", names[i], lists[names[i]].Err))
			continue
		}
		c := l.compare(names, lists)
		if len(c.Added)+len(c.Removed)+len(c.Changed) == 0 {
			continue
		}
		if err := l.print(notification{at: time.Now(), method: k.Changed, missed: true}, c); err != nil {
			return err
		}
	}
	return nil
}

// refusedStream returns what a refusal of a gateway means while the requests of the session are answered, or "".
func refusedStream(x *transport.Exchange) string {
	switch x.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return "; POST is answered at this URL, so a gateway in front of the server may not pass on event streams"
	}
	return ""
}
