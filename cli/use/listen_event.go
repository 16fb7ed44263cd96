package use

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/backoff"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint/occurrence"
	"mcptea/offer"
	"mcptea/offer/invoke"
	"mcptea/record/filter"
	"mcptea/session/events"
	"mcptea/session/session"
)

// eventPrefix begins the word of mcptea listen that names an event type.
const eventPrefix = "event:"

// eventListener prints what happens to a subscription.
type eventListener struct {
	p        *commands
	s        *session.Session
	flags    listenFlags
	until    *filter.Filter
	follower *events.Follower
	hook     *hookReceiver // receiver of --webhook, or nil
	next     int           // number of the entry to print next
	seen     int           // events
	matched  bool
	dropped  int       // entries that arrived faster than they are printed
	refused  []refusal // deliveries that were refused on purpose and have not been sent again; at most maxRefusals
}

// listenEvent listens for the events of a type.
func (p *commands) listenEvent(cmd *cobra.Command, args []string, f listenFlags, until *filter.Filter) error {
	var name string
	var given invoke.Arguments
	return p.withSession(cmd, args, func(words []string) (_ []client.ListKind, err error) {
		name, given, err = p.readEvent(words, f)
		return []client.ListKind{client.Events}, err
	}, func(s *session.Session) error {
		lists, err := p.LoadLists(s, link.Nothing, client.Events)
		if err != nil {
			return err
		}
		list := lists[client.Events.Name]
		o := events.Options{Params: events.Params{Name: name, MaxAge: f.maxAge, Cursor: events.Cursor{Text: f.cursor, Set: f.cursor != ""}}}
		if f.hook.enabled && list.Offered {
			o.Mode, err = revision.DeliveryWebhook, p.webhookMode(name, list)
		} else {
			o.Mode, err = p.eventMode(s, name, list, f)
		}
		if err != nil {
			return err
		}
		if o.Arguments, err = p.encode(s, given, client.Events, name, list); err != nil {
			return err
		}
		l := &eventListener{p: p, s: s, flags: f, until: until}
		if o.Mode == revision.DeliveryWebhook {
			if l.hook, err = p.receive(s, f.hook); err != nil {
				return err
			}
			defer l.hook.Stop(p.ForceCtx)
		}
		return l.whole(l.run(o))
	})
}

// whole returns the outcome of a run, which has failed if not everything was printed, even if the user has ended it.
func (l *eventListener) whole(err error) error {
	if l.dropped == 0 || err != nil && app.SignalOf(err) == nil {
		return err
	}
	return app.Failed("%s of the subscription were dropped: they arrived faster than they were printed", phrase.Count(l.dropped, "event"))
}

// readEvent reads the words before the target.
func (p *commands) readEvent(words []string, f listenFlags) (name string, given invoke.Arguments, err error) {
	var rest []string
	for _, w := range words {
		of, is := strings.CutPrefix(w, eventPrefix)
		switch {
		case is && (of == "" || name != ""):
			return "", nil, app.Usage("mcptea list events shows the names.", "listen takes one event type, as event:NAME")
		case is:
			name = of
		case strings.ContainsAny(w, "={[@\"") || w == "-":
			rest = append(rest, w)
		default:
			return "", nil, app.Usage("Listen for it with a command of its own.", "event:%s must be the only word, found %q", name, w)
		}
	}
	switch {
	case f.frames || f.noRefresh || len(f.uris) > 0:
		return "", nil, app.Usage("Omit them.", "--frames, --no-refresh and --uri are not for event:NAME")
	case f.hook.check(f.mode) != nil:
		return "", nil, f.hook.check(f.mode)
	case f.maxAge > 0 && f.cursor == "":
		return "", nil, app.Usage("Without a cursor, only new events are delivered.", "--max-age requires --cursor")
	}
	given, err = p.ReadArguments(rest)
	return name, given, err
}

// eventMode returns the mode in which the events of a type are delivered.
func (p *commands) eventMode(s *session.Session, name string, list offer.List, f listenFlags) (string, error) {
	if !list.Offered {
		return "", app.FailedWith("It is "+revision.EventsExtension+" in the extensions of its capabilities.", "the server does not declare events")
	}
	item, listed := list.Find(name)
	of := events.ReadType(item.Raw)
	chosen := map[string]string{"push": revision.DeliveryPush, "poll": revision.DeliveryPoll}[f.mode]
	switch {
	case chosen != "" && listed && !of.Offers(chosen) && !p.Flags.NoValidate:
		return "", app.Usage("It is delivered by "+display.Sanitize(strings.Join(of.Delivery, ", "))+"."+sentAnyway, "the event type %s is not delivered by %s", display.Sanitize(name), chosen)
	case chosen != "":
		return chosen, nil
	case !listed && list.Err != nil:
		return "", p.printListErrors(s, map[string]offer.List{client.Events.Name: list}, []client.ListKind{client.Events})
	case !listed: // encode reports that the list lacks it
		return revision.DeliveryPoll, nil
	case of.Mode() == "":
		return "", app.Usage("Its events are received with --webhook --public-url URL.", "the event type %s is delivered only by webhooks", display.Sanitize(name))
	}
	return of.Mode(), nil
}

// run follows a subscription until the end.
func (l *eventListener) run(o events.Options) error {
	changed, stop := l.s.Store().Subscribe()
	defer stop()
	if l.hook != nil {
		l.followWebhook(o.Params)
	} else {
		l.follower = l.s.Events().Follow(o)
		l.say(fmt.Sprintf("listening: %s, by %s", display.Sanitize(o.Name), o.Mode))
	}
	defer l.close()
	rotate, stopRotating := l.flags.hook.rotations()
	defer stopRotating()
	var over <-chan time.Time
	if l.flags.max > 0 {
		timer := time.NewTimer(l.flags.max)
		defer timer.Stop()
		over = timer.C
	}
	for {
		if err := l.troubles(false); err != nil {
			return err
		}
		if err := l.print(); err != nil || l.complete() {
			return err
		}
		select {
		case <-changed:
		case <-l.follower.Done():
			return l.ended()
		case <-over:
			return l.late()
		case <-rotate:
			l.follower.Rotate()
		case <-l.p.Ctx.Done():
			return context.Cause(l.p.Ctx)
		}
		if st := l.s.State(); st.Phase == session.Ended && !l.flags.reconnect {
			return l.lost(st.Err)
		} else if st.Phase == session.Ended {
			if err := l.restart(st.Err); err != nil {
				return err
			}
		}
	}
}

// close ends the subscription at the server.
func (l *eventListener) close() {
	var warnings []string
	if l.hook != nil { // checking another process may need the network
		warnings = l.p.EndWebhooks(l.p.ForceCtx, l.s, nil)
	} else {
		l.stop()
	}
	_ = l.print()
	for _, text := range warnings {
		l.say(display.Sanitize(text))
	}
	l.linger()
	_ = l.troubles(true)
	if ids := l.follower.State().Delivered.MessageIDs(); ids != "" && !l.p.JSON { // the objects have messageId
		l.say("webhook-id: " + ids + " (drafts of SEP-3415: the eventId; its newest text: an id of the message)")
	}
	l.open()
}

// linger continues to receive deliveries after the subscription has ended.
func (l *eventListener) linger() {
	d := l.flags.hook.linger
	if d == 0 {
		return
	}
	l.say("the subscription has ended; deliveries are received for another " + app.DurationText(d))
	if l.p.Ctx.Err() != nil {
		l.p.Watchdog.Extend(d + app.InterruptedLimit)
	}
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-over.C:
	case <-l.p.ForceCtx.Done():
	}
}

// stop ends a subscription without a webhook.
func (l *eventListener) stop() {
	l.follower.Stop()
	late := time.NewTimer(unsubscribeTimeout)
	defer late.Stop()
	select {
	case <-l.follower.Done():
	case <-late.C:
	case <-l.p.ForceCtx.Done():
	}
}

// complete reports whether all awaited events have arrived.
func (l *eventListener) complete() bool {
	return l.matched || l.flags.count > 0 && l.seen >= l.flags.count
}

// late handles the end by --for.
func (l *eventListener) late() error {
	if err := l.print(); err != nil || l.complete() || l.flags.count == 0 && l.until == nil {
		return err
	}
	return app.Failed("the events did not come within %s", app.DurationText(l.flags.max))
}

// ended handles the end of the subscription by the server.
func (l *eventListener) ended() error {
	if err := l.print(); err != nil || l.complete() {
		return err
	}
	st := l.follower.State()
	if st.Err == nil {
		why := ""
		if last := l.s.Events().Entries(st.Number, st.Entries, 1); len(last) == 1 && last[0].Text != "" {
			why = ": " + last[0].Text
		}
		return app.Failed("the subscription has ended%s", why)
	}
	return l.p.Outcome(l.s, st.Err)
}

// lost handles the end of the connection.
func (l *eventListener) lost(err error) error {
	if err := l.print(); err != nil || l.complete() {
		return err
	}
	if err == nil {
		err = client.ErrClosed
	}
	return l.p.Failure(l.s, err, app.ExitConnect)
}

// restart connects again; the follower continues with the new connection.
func (l *eventListener) restart(lost error) error {
	r := listener{p: l.p, s: l.s, flags: l.flags, pauses: backoff.Series{Backoff: session.BetweenConnections}}
	if lost == nil {
		lost = client.ErrClosed
	}
	return r.connectAgain(lost)
}

// print prints the events since the last call.
func (l *eventListener) print() error {
	number := l.follower.Number()
	for !l.complete() {
		list := l.s.Events().Entries(number, l.next, 256)
		if len(list) == 0 {
			return nil
		}
		if first := list[0].Number; l.next > 0 && first > l.next {
			l.dropped += first - l.next
			l.say(fmt.Sprintf("%s were dropped: they arrived faster than they are printed", phrase.Count(first-l.next, "event")))
		}
		for i := range list {
			l.next = list[i].Number + 1
			if err := l.entry(&list[i]); err != nil || l.complete() {
				return err
			}
		}
	}
	return nil
}

// entry prints an entry.
func (l *eventListener) entry(e *events.Entry) error {
	if e.Kind == events.Trouble { // reported by its count: see troubles
		return nil
	}
	l.note(e)
	st := l.follower.State()
	var faults []occurrence.Fault
	checked := false
	if e.Kind == events.Occurred {
		l.seen++
		faults, checked = l.s.Events().Check(st.Name, e)
		l.matched = l.matched || l.until != nil && l.until.Match(l.frame(e))
	}
	if l.p.JSON {
		return l.p.PrintDocument(documentOf(e, &st, faults, checked))
	}
	line := l.p.Out.Faint(e.Time.Format("15:04:05.000")) + "  " + l.p.Out.Safe(wordsOf(e, faults, checked))
	if e.Kind == events.Occurred || e.Kind == events.Gap {
		return l.p.Out.Line(line)
	}
	if e.Kind != events.Stopped && e.Kind != events.Terminated { // the outcome gives the reason
		fmt.Fprintln(l.p.Err, l.p.Err.Faint(e.Time.Format("15:04:05.000"))+"  "+l.p.Err.Safe(wordsOf(e, nil, false)))
	}
	return nil
}

// frame returns an event in the form that a filter examines: the notification that a stream sends for it.
func (l *eventListener) frame(e *events.Entry) *filter.Frame {
	r, _ := l.s.Store().Row(e.Row)
	r.Kind = jsonrpc.Notification
	fr := &filter.Frame{Row: &r, Index: e.Row, Method: revision.EventsEvent}
	fr.OfRow(l.s.Store(), l.s.Store().NewScanner())
	fr.Body = func() []byte { return jsonrpc.EncodeNotification(revision.EventsEvent, e.Event.Raw) }
	return fr
}

// say prints a line on stderr.
func (l *eventListener) say(text string) { fmt.Fprintln(l.p.Err, l.p.Err.Safe(text)) }
