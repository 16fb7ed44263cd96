package diff

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/checks/lint"
	"mcptea/session/record/store"
	"mcptea/ui/severity"
)

// Session is what is needed of a session to compare its frames.
type Session interface {
	Store() *store.Store
	FindingsAt(row int32) []lint.Finding
}

// Frames compares frames of a session.
type Frames struct {
	Session Session
	// Pin is the name of the pin of a call; empty without one. Accept expects a response
	// in it from now on.
	Pin    func(method string, params []byte) string
	Accept func(pin string, row int32)
	Export func(rows ...int32)
}

// Subject is that of two frames.
func (f Frames) Subject(old, now int32) (Subject, error) {
	rows, of := [2]int32{old, now}, f.Session.Store()
	s := Subject{Frames: true, Sides: [2]Side{SideOf(f.Session, old), SideOf(f.Session, now)}, Export: func() { f.Export(old, now) }}
	pin := ""
	s.About, pin = f.about(rows)
	if pin != "" {
		s.Accept = func() { f.Accept(pin, now) }
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
		before, err := earlier(of, old)
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
	if r.Conn > 1 {
		side.Where = "restart " + strconv.Itoa(int(r.Conn)-1)
	}
	if worst := severity.Worst(s.FindingsAt(row)); worst != nil {
		side.Note, side.Failed = worst.Rule.ID+" "+worst.Rule.Slug, true
	}
	return side
}

// frameName is the call of a response; of other frames the kind and method.
func frameName(s *store.Store, row int32) string {
	r, _ := s.Row(row)
	request, answer := s.Related(row)
	if of, ok := s.Row(request); ok && answer == row && of.Dir == transport.Out {
		if head, err := s.Head(request, 4<<10); err == nil {
			return "call id " + display.Cut(display.Sanitize(string(r.IDOf(head))), 20)
		}
	}
	text, method := r.Kind.String(), s.Method(r.Method)
	switch {
	case method == "":
		return text
	case r.Kind == jsonrpc.Request || r.Kind == jsonrpc.Notification:
		return text + " " + method
	}
	return text + " of " + method
}

// maxRequest is how large a request is at the most that is read for what it is about.
const maxRequest = 256 << 10

// about is what two frames are about, and the pin of the request of the second one.
func (f Frames) about(rows [2]int32) (about, pin string) {
	s := f.Session.Store()
	var params [2][]byte
	var methods [2]string
	for i, row := range rows {
		request, _ := s.Related(row)
		r, ok := s.Row(request)
		if !ok || r.Dir != transport.Out || r.Size > maxRequest {
			return "", ""
		}
		body, err := s.Body(request)
		if err != nil {
			return "", ""
		}
		methods[i], params[i] = s.Method(r.Method), jsonrpc.Scan(body).Params.Of(body)
	}
	about = cmp.Or(jsonrpc.Text(params[1], "name")+jsonrpc.Text(params[1], "uri"), methods[1])
	old, _ := jsonrpc.Member(params[0], "arguments")
	now, has := jsonrpc.Member(params[1], "arguments")
	switch {
	case methods[0] != methods[1] || !has && old == nil:
	case bytes.Equal(old, now):
		about += " " + string(now) + " · same arguments"
	default:
		about += " · other arguments"
	}
	return about, f.Pin(methods[1], params[1])
}

// maxEarlier is how many frames before a call are searched for an earlier one.
const maxEarlier = 20_000

// earlier is the response of the call of the same tool, prompt or resource before that of a
// response.
func earlier(s *store.Store, response int32) (int32, error) {
	request, _ := s.Related(response)
	if r, ok := s.Row(request); ok {
		name := itemIn(s, request)
		for i := request - 1; i >= max(0, request-maxEarlier); i-- {
			before, _ := s.Row(i)
			if before.Kind == jsonrpc.Request && before.Dir == r.Dir && before.Method == r.Method && before.Pair != store.None && itemIn(s, i) == name {
				return before.Pair, nil
			}
		}
	}
	return store.None, errors.New("there is no earlier call to compare with")
}

// itemIn is the tool, prompt or resource that a request is about.
func itemIn(s *store.Store, row int32) string {
	head, err := s.Head(row, 4<<10)
	if err != nil {
		return ""
	}
	params, _ := jsonrpc.Start(head, "params")
	for _, member := range []string{"name", "uri"} {
		if v, ok := jsonrpc.Start(params, member); ok {
			text, _ := jsonrpc.Unquote(v)
			return text
		}
	}
	return ""
}

// Command returns what writes the command that compares two frames of recordings, for the
// shell of the user; nil where one is not recorded.
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

// Shell writes a command for the shell of the user; empty where that is not possible.
func Shell(words ...string) string {
	text, _ := shell.OfUser().Join(shell.Literals(words...))
	return text
}
