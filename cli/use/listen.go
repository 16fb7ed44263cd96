package use

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/internal/backoff"
	"mcptea/offer/changes"
	"mcptea/record/filter"
	"mcptea/session/session"
)

// listenFlags holds the flags of mcptea listen.
type listenFlags struct {
	uris      []string
	level     string
	noRefresh bool
	frames    bool
	max       time.Duration
	count     int
	until     string
	reconnect bool

	// Of event:NAME.
	mode   string
	cursor string
	maxAge time.Duration
	hook   webhookFlags
}

func (p *commands) listenCommand() *cobra.Command {
	var f listenFlags
	cmd := &cobra.Command{
		Use:   "listen [WHAT…] TARGET",
		Short: "Print the notifications of a server",
		Long: `Print the notifications of a server as they arrive. A WHAT is one of:

  tools, prompts, resources   changes of the list, which is fetched again and compared
  logs                        log messages, from --level on; not in 2026-07-28
  events                      changes of the list of event types
  event:NAME [key=value…]     the events of a type, with the arguments of the subscription; the only WHAT
  tasks, task:ID              the status of tasks
  URI                         updates of a resource; --uri for one with http

Events are pushed if the type supports it, otherwise polled; --mode chooses. A stream without an event or a heartbeat for a minute is opened again after the newest event. Each event is compared with the payloadSchema of its type.

With --webhook the server POSTs the events to a receiver of mcptea on this machine; point a tunnel of yours at it (--public-url). mcptea makes the secret of the webhook for the run, and masks it wherever it is printed or recorded. It verifies signatures; if one does not verify, it tries and names the usual mistakes. The webhook is renewed before it expires, and ends with the command.

--respond shows how the server reacts to refused deliveries: 500*2 refuses the first two attempts, 200*3,410 the fourth, 500* all of them, delay=12s answers late, 307 redirects; challenge=wrong and challenge=500 fail the verification. Other deliveries get the usual response. A delivery says which retry of its message it is, and mcptea lint judges the retries of a recording.

The exit code is 1 if the server refuses or ends the subscription, or if events were dropped because they arrived faster than they are printed.

Without a WHAT, the command listens for all that the server declares. In 2026-07-28 that is one subscription, and stderr says what the server grants. In earlier versions the level of logs is set and each resource is subscribed to.

The command ends with an interrupt, after --for or --count, or when the server ends the subscription, with exit code 0. If the server refuses the stream of its notifications, the exit code is 1. If the connection is lost, the exit code is 3; with --reconnect the command connects again, and compares the lists with the earlier ones. The exit code is 1 if --for is over before --count or --until.`,
		Example: `  mcptea listen -- ./my-server
  mcptea listen tools --count 1 --for 20s --url http://127.0.0.1:3000/mcp
  mcptea listen logs --level debug --protocol 2025-11-25 -- ./my-server
  mcptea listen event:order.placed tea=Assam --max 1 --json -- ./my-server
  mcptea listen event:order.placed --webhook --respond 500*2 --max 1 --record retries.jsonl --token t --url http://127.0.0.1:3000/mcp
  mcptea listen file:///etc/hosts --json --server files | jq`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.listen(cmd, args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&f.uris, "uri", nil, "listen for updates of the resource with this `URI`; repeatable")
		fs.StringVar(&f.level, "level", "info", "log messages of at least this `LEVEL`")
		fs.BoolVar(&f.noRefresh, "no-refresh", false, "do not fetch a list that has changed")
		fs.BoolVar(&f.frames, "frames", false, "print the frames as received")
		fs.DurationVar(&f.max, "for", 0, "end after this `TIME`; 0 is no limit")
		fs.IntVar(&f.count, "count", 0, "end after this `number` of notifications or events; 0 is no limit  N")
		fs.IntVar(&f.count, "max", 0, "the same as --count  N")
		app.Choice(fs, &f.mode, "mode", "how events are delivered: `MODE` auto, push or poll", "auto", "push", "poll")
		p.Flags.DeclareNoValidate(fs)
		fs.StringVar(&f.cursor, "cursor", "", "start with the events after this `CURSOR`, which an earlier listen has printed")
		fs.BoolVar(&f.hook.enabled, "webhook", false, "receive events by webhook: the server POSTs them to a callback")
		fs.StringVar(&f.hook.public, "public-url", "", "`URL` of the tunnel that leads to the receiver; without it, the callback is on this machine")
		link.DeclareListen(fs, &f.hook.listen, "receive deliveries")
		fs.DurationVar(&f.hook.ttl, "ttl", 0, "ask the server for this lifetime of the webhook, which is renewed  `TIME`")
		fs.DurationVar(&f.hook.rotate, "rotate", 0, "renew the webhook with a new secret after each `TIME`; the previous secret is accepted too")
		fs.StringVar(&f.hook.respond, "respond", "", "answer deliveries on purpose, in this order: STATUS or delay=TIME, *N times; 500*2 refuses two  `LIST`")
		fs.DurationVar(&f.hook.linger, "linger", 0, "after the end of the webhook, still receive deliveries for this `TIME`")
		fs.DurationVar(&f.maxAge, "max-age", 0, "with --cursor: no events older than this `TIME`")
		fs.StringVar(&f.until, "until", "", "end after the first notification that matches this `FILTER`")
		fs.BoolVar(&f.reconnect, "reconnect", false, "connect again after the connection was lost")
	})
	p.target.AddRequest(cmd)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		names, how := p.target.CompleteTargets(cmd, args, word)
		return append(slices.Clone(target.ListenWords), names...), how
	}
	app.Completes(cmd, "level", logLevels...)
	return cmd
}

var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// check reports values that cannot be used.
func (f *listenFlags) check(p *commands) (until *filter.Filter, err error) {
	switch {
	case f.frames && p.JSON:
		return nil, app.Usage("Omit one of them.", "--frames and --json exclude each other")
	case !slices.Contains(logLevels, f.level):
		return nil, app.Usage(app.Suggest(f.level, logLevels, ""), "--level: unknown level %q", f.level)
	case f.until == "":
		return nil, nil
	}
	parsed, err := p.ParseFilter("--until", f.until)
	return &parsed, err
}

func (p *commands) listen(cmd *cobra.Command, args []string, f listenFlags) error {
	until, err := f.check(p)
	if err != nil {
		return err
	}
	p.EndWithReader()
	if f.reconnect && cmd.Flags().Changed("attach") {
		return app.Usage("Omit one of them.", "--reconnect and --attach exclude each other: another process owns the connection")
	}
	if at := slices.IndexFunc(args, func(w string) bool { return strings.HasPrefix(w, eventPrefix) }); at >= 0 && (cmd.ArgsLenAtDash() < 0 || at < cmd.ArgsLenAtDash()) {
		err = p.listenEvent(cmd, args, f, until)
		return ended(p, err)
	}
	if f.mode != "auto" || f.cursor != "" || f.maxAge != 0 || f.hook != (webhookFlags{}) {
		return app.Usage("Name an event type: event:NAME. mcptea list events shows them.", "--mode, --cursor, --max-age and --webhook require event:NAME")
	}
	l := &listener{p: p, flags: f, until: until, pauses: backoff.Series{Backoff: session.BetweenConnections}}
	err = p.withSession(cmd, args, func(words []string) (_ []client.ListKind, err error) {
		if l.wanted, err = readWhat(words, f.uris); err != nil || f.noRefresh || f.frames {
			return nil, err
		}
		return l.wanted.kinds(), nil
	}, func(s *session.Session) error {
		l.s = s
		defer l.close()
		return l.run()
	})
	return ended(p, err)
}

// ended converts the outcome of a command that listens: a signal is its normal end.
func ended(p *commands, err error) error {
	if cause := app.SignalOf(err); cause != nil && p.ForceCtx.Err() == nil && (cause.Code == app.ExitInterrupted || cause == app.ErrBrokenPipe) {
		return nil // the normal end
	}
	return err
}

// listener prints the notifications of a connection.
type listener struct {
	p      *commands
	s      *session.Session
	flags  listenFlags
	wanted listenFor
	until  *filter.Filter

	sub        *client.Subscription // subscription of 2026-07-28
	subscribed []string             // resources, in earlier versions
	tracker    changes.Tracker

	over     <-chan time.Time // fires after --for, or nil
	deadline time.Time        // end of --for
	stream   uint32           // the exchange of the stream of notifications, before 2026-07-28
	refused  uint32           // the exchange of its first refusal since it was open, or 0
	ending   bool             // the immediate end of the stream was reported
	silent   bool             // the missing response of the stream was reported
	pauses   backoff.Series   // between connections
	since    time.Time        // time of the last reconnection, or zero

	next    int32                    // row to read next
	seen    int                      // number of notifications so far
	matched bool                     // a notification matched until
	pending map[string]*notification // notifications whose lists are being fetched, by method
}

// run listens until the end.
func (l *listener) run() error {
	err := l.listen()
	if errors.Is(err, errOver) {
		return l.late()
	}
	return err
}

func (l *listener) listen() error {
	changed, stop := l.s.Store().Subscribe()
	defer stop()
	l.pending = map[string]*notification{}
	kinds := l.s.Config().Lists
	lists, err := l.p.LoadLists(l.s, link.Nothing, kinds...)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		l.tracker.SetList(k.Name, comparedOf(lists[k.Name]), 0)
	}
	if err := l.open(); err != nil {
		if lost := (lostError{}); !errors.As(err, &lost) {
			return err
		} else if err := l.reconnect(lost.error); err != nil {
			return err
		}
	}
	if l.flags.max > 0 {
		timer := time.NewTimer(l.flags.max)
		defer timer.Stop()
		l.over, l.deadline = timer.C, time.Now().Add(l.flags.max)
	}
	silence := time.NewTimer(streamPatience)
	defer silence.Stop()
	for {
		var ended <-chan struct{}
		if l.sub != nil {
			ended = l.sub.Done()
		}
		if err := l.read(); err != nil {
			return err
		}
		if l.complete() && len(l.pending) == 0 {
			return nil
		}
		again, err := l.checkConnection()
		if err != nil {
			return err
		}
		if again {
			continue
		}
		select {
		case <-changed:
		case <-ended:
			if graceful, err := l.ended(); graceful || err != nil {
				return err
			}
		case <-silence.C:
			l.lookAtSilence()
		case <-l.over:
			return l.late()
		case <-l.p.Ctx.Done():
			if err := l.flush(); err != nil {
				return err
			}
			return context.Cause(l.p.Ctx)
		}
	}
}

// checkConnection checks whether the connection is lost, and reports whether a new one was made.
func (l *listener) checkConnection() (again bool, err error) {
	if st := l.s.State(); st.Phase == session.Ended {
		return true, l.lost(st.Err)
	}
	return l.lookAtStream()
}

// late handles the end by --for.
func (l *listener) late() error {
	l.lookAtSilence()
	if err := errors.Join(l.read(), l.flush()); err != nil || l.complete() || l.flags.count == 0 && l.until == nil {
		return err
	}
	return app.Failed("the notifications did not come within %s", app.DurationText(l.flags.max))
}

// complete reports whether all awaited notifications have arrived.
func (l *listener) complete() bool {
	return l.matched || l.flags.count > 0 && l.seen >= l.flags.count
}

// ended handles the end of a subscription. graceful reports whether the server ended it.
func (l *listener) ended() (graceful bool, err error) {
	if err := errors.Join(l.read(), l.flush()); err != nil {
		return false, err
	}
	if err := l.sub.Err(); !errors.Is(err, client.ErrSubscriptionEnded) {
		return false, l.lost(err)
	}
	l.say(client.ErrSubscriptionEnded.Error())
	return true, nil
}

// lost handles the end of the connection.
func (l *listener) lost(err error) error {
	if err := errors.Join(l.read(), l.flush()); err != nil {
		return err
	}
	if cause := context.Cause(l.p.Ctx); cause != nil {
		return cause
	}
	if err == nil {
		err = client.ErrClosed
	}
	if l.flags.reconnect {
		return l.reconnect(err)
	}
	return l.p.Failure(l.s, err, app.ExitConnect)
}
