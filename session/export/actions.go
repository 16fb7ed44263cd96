package export

import (
	"bufio"
	"context"
	"io"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/store"
)

// maxActions bounds the actions that are returned, and maxActionLine the command of one, in bytes. Linux starts no program
// with a longer argument.
const (
	maxActions    = 1000
	maxActionLine = 128 << 10
)

// An Action is a step that a user took in a session: a connection, or a request that clients do not send by themselves.
type Action struct {
	Row    int32 // row of the request, or [store.None] for a connection
	Time   time.Time
	Method string // method of the request, or "" for a connection
	Short  string // words of the command without the program and the target, quoted for the shell
	Line   string // mcptea command that does the same, quoted for the shell, or "" if Reason says why there is none
	Reason string
}

// Actions returns the newest actions of a session, oldest first, and the number of all. Secrets are variables of the
// shell.
func Actions(ctx context.Context, src Source, o Options) (newest []Action, total int, err error) {
	s := &session{Source: src, Options: o, ctx: ctx, out: bufio.NewWriter(io.Discard), reported: map[string]bool{}}
	if err := s.learn(); err != nil {
		return nil, 0, err
	}
	log := actionLog{session: s, at: endpoint{Transport: s.Header.Transport, Insecure: s.Header.Insecure}}
	for e, err := range s.events() {
		if err != nil {
			return nil, 0, err
		}
		log.event(&e)
	}
	log.connected()
	return log.newest[max(0, len(log.newest)-maxActions):], log.total, nil
}

// An actionLog collects the actions of a session.
type actionLog struct {
	*session
	at     endpoint
	opened *Action  // connection that has not done anything yet, or nil
	newest []Action // at least the newest maxActions
	total  int
	polled string // command of the newest poll for events
}

func (l *actionLog) event(e *Event) {
	if e.Kind == record.KindConnection && e.Connection.What == record.ConnectionOpened && !e.Connection.Beside {
		l.opened = &Action{Row: store.None, Time: e.Time} // of connections without a request between them, the newest
		l.at.Argv, l.at.URL = nil, ""
	}
	l.at.update(&e.Event)
	if e.Kind != record.KindFrame || e.Frame.Dir != transport.Out {
		return
	}
	envelope := jsonrpc.Scan(e.Frame.Bytes)
	r := request{Frame: e.Frame.Bytes, Method: envelope.MethodName(e.Frame.Bytes), Params: envelope.Params.Of(e.Frame.Bytes), Endpoint: l.at}
	if envelope.Kind != jsonrpc.Request || sendsItself(&r) {
		return
	}
	if r.Method == "events/poll" {
		if key := string(withoutMeta(r.Params)); key == l.polled || jsonrpc.Text(r.Params, "cursor") != "" {
			return
		}
		l.polled = string(withoutMeta(r.Params))
	}
	l.connected()
	l.add(Action{Row: e.Number - 1, Time: e.Time, Method: r.Method}, commandWords(&r))
}

// connected adds the connection that precedes a request.
func (l *actionLog) connected() {
	if l.opened != nil {
		l.add(*l.opened, shell.Literals("mcptea", "info"))
		l.opened = nil
	}
}

// add adds an action with the words of its command, without the target.
func (l *actionLog) add(a Action, words []shell.Word) {
	a.Short, _ = l.Shell.Join(words[1:]) // an error is also an error of the whole command
	line, err := l.Shell.Join(append(words, l.targetWords(&l.at)...))
	switch {
	case l.at.Transport == "stdio" && len(l.at.Argv) == 0 && !l.isLive(&l.at):
		a.Reason = "the recording does not name the command of the server"
	case err != nil:
		a.Reason = err.Error()
	case len(line) > maxActionLine:
		a.Reason = "the command has " + phrase.Size(int64(len(line))) + ", more than a shell accepts"
	default:
		a.Line = line
	}
	l.total++
	if l.newest = append(l.newest, a); len(l.newest) == 2*maxActions {
		l.newest = append(l.newest[:0], l.newest[maxActions:]...)
	}
}

// sendsItself reports whether clients send a request by themselves: while they connect, for their lists, while the user
// types, and while they wait for a task.
func sendsItself(r *request) bool {
	switch r.Method {
	case "ping", "completion/complete":
		return true
	case "subscriptions/listen":
		wanted, _ := jsonrpc.Member(r.Params, "notifications")
		_, isResource := jsonrpc.Member(wanted, "resourceSubscriptions")
		return !isResource
	}
	_, isList := revision.ListOf(r.Method)
	return isList || revision.IsHandshake(r.Method) || revision.FollowsTask(r.Method)
}
