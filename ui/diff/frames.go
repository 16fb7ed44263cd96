package diff

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/session/runs/replay"
	"mcptea/session/session"
)

// Session is the part of a session that is needed to compare its frames.
type Session interface {
	Store() *store.Store
	FindingsAt(row int32) []lint.Finding
	State() session.State
}

// Frames compares frames of a session.
type Frames struct {
	Session Session
	// Pin returns the name of the pin of a call, or "". Accept makes the pin expect the response in a row.
	Pin    func(method string, params []byte) string
	Accept func(pin string, row int32)
	Export func(rows ...int32)
}

// Subject returns the subject for comparing two frames.
func (f Frames) Subject(old, now int32) (Subject, error) {
	rows, of := [2]int32{old, now}, f.Session.Store()
	for _, row := range rows {
		if r, ok := of.Row(row); ok && !r.IsFrame() {
			return Subject{}, fmt.Errorf("#%d is %s: only frames can be compared", row+1, event(&r))
		}
	}
	s := Subject{Frames: true, Sides: [2]Side{SideOf(f.Session, old), SideOf(f.Session, now)}, Export: func() { f.Export(old, now) }}
	var method string
	var params []byte
	if s.About, method, params = replay.About(of, rows); method != "" {
		if pin := f.Pin(method, params); pin != "" {
			s.Accept = func() { f.Accept(pin, now) }
		}
	}
	s.Compare = func(_ context.Context, o Options) (r Result, err error) {
		var values [2][]byte
		for i, row := range rows {
			if values[i], err = of.Body(row); err != nil {
				return r, err
			}
		}
		return Values(values, o)
	}
	s.Earlier = func(context.Context) (Subject, error) {
		before, err := replay.Earlier(of, old)
		if err != nil {
			return Subject{}, err
		}
		return f.Subject(before, now)
	}
	s.Command = Command([2]string{of.Path(), of.Path()}, rows)
	return s, nil
}

// SideOf describes a frame.
func SideOf(s Session, row int32) Side {
	of := s.Store()
	r, _ := of.Row(row)
	side := Side{
		Frame: "#" + strconv.Itoa(int(row)+1), Name: frameName(of, row),
		Time: time.Unix(0, r.Time).Format(time.TimeOnly), Size: phrase.Size(int64(r.Size)), Note: "no finding",
	}
	if request, answer := of.Related(row); answer == row && request != store.None {
		before, _ := of.Row(request)
		side.Took = phrase.Took(time.Duration(r.Time - before.Time))
	}
	side.Where = where(s.State().Restarts, r.Conn)
	if worst := lint.Worst(s.FindingsAt(row)); worst != nil {
		side.Note, side.Failed = worst.Rule.ID+" "+worst.Rule.Slug, true
	}
	return side
}

// where names the connection of a frame by its restart, like other parts of the screen. It uses the number if
// the connection was never ready or is in a recording. For the first connection it returns "".
func where(restarts []session.Restarted, conn uint16) string {
	if conn <= 1 {
		return ""
	}
	for i := range restarts {
		if restarts[i].Conn == conn {
			return RestartName(restarts[i].Number)
		}
	}
	return "connection " + strconv.Itoa(int(conn))
}

// event describes a row without a frame.
func event(r *store.Row) string {
	if r.Kind == store.KindProcess {
		return "an event of the process"
	}
	return "an HTTP exchange"
}

// frameName names a frame: as the response of a call, by kind and method, or for a notification by its method
// only.
func frameName(s *store.Store, row int32) string {
	r, _ := s.Row(row)
	request, answer := s.Related(row)
	if of, ok := s.Row(request); ok && answer == row && of.Dir == transport.Out && r.Kind != jsonrpc.Batch { // which has several ids
		if head, err := s.Head(request, 4<<10); err == nil && len(of.IDOf(head)) > 0 {
			return "response of call id " + display.Cut(display.Sanitize(string(of.IDOf(head))), 20)
		}
	}
	text, method := r.Kind.String(), s.Method(r.Method)
	switch {
	case method == "":
		return text
	case r.Kind == jsonrpc.Notification && strings.HasPrefix(method, "notifications/"):
		return method
	case r.Kind == jsonrpc.Request || r.Kind == jsonrpc.Notification:
		return text + " " + method
	}
	return text + " of " + method
}

// Command returns a function for the shell command that compares two frames of recordings, or nil if one is not
// recorded.
func Command(paths [2]string, rows [2]int32) func(swapped bool, ignored []string, strict bool) string {
	if paths[0] == "" || paths[1] == "" {
		return nil
	}
	return func(swapped bool, ignored []string, strict bool) string {
		words := []string{"mcptea", "diff"}
		for i := range paths {
			if swapped {
				i = 1 - i
			}
			words = append(words, paths[i]+"#"+strconv.Itoa(int(rows[i])+1))
		}
		for _, rule := range ignored {
			words = append(words, "--ignore", rule)
		}
		if strict {
			words = append(words, "--strict")
		}
		return Shell(words...)
	}
}

// Shell returns a command in the syntax of the user's shell, or "" if that is impossible.
func Shell(words ...string) string {
	text, _ := shell.OfUser().Join(shell.Literals(words...))
	return text
}
