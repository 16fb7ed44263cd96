package diff

import (
	"context"
	"errors"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/offer/diff"
	"mcptea/session/runs/replay"
	"mcptea/ui/textfield"
)

// Side describes one of the two.
type Side struct {
	Frame  string // "#118"; empty for one that is not a frame
	Name   string // "call 14"; untrusted
	Time   string
	Where  string // the connection, the file; untrusted
	Target string // the command or the URL of the server, of a session among others; untrusted
	Took   string
	Size   string
	Note   string // the worst finding, or that there is no finding
	Failed bool   // the note is about a finding
}

// A Subject is the pair to compare.
type Subject struct {
	Sides  [2]Side
	About  string   // common subject of both sides; untrusted
	Frames bool     // the sides are JSON-RPC frames, whose ids are ignored
	Ignore []string // paths that do not count
	// Compare compares the two, on another goroutine.
	Compare func(ctx context.Context, o Options) (Result, error)
	// Command returns the equivalent shell command, or "".
	Command func(swapped bool, ignored []string, strict bool) string
	// The functions below may be nil. Accept makes B the expectation, Ignored adds a path to
	// ignore, Export exports both, and Earlier returns earlier responses of the same call.
	Accept, Export func()
	Ignored        func(path string)
	Earlier        func(ctx context.Context) (Subject, error)
}

// Values compares two JSON values. If one is not valid JSON, it compares the lines of two texts.
func Values(values [2][]byte, o Options) (Result, error) {
	old, now := values[0], values[1]
	if o.Swapped {
		old, now = now, old
	}
	r, err := diff.NewReport(old, now, o.Options, o.Whole)
	if errors.Is(err, diff.ErrNotJSON) {
		which := "A and B are both "
		if jsonrpc.Valid(old) {
			which = "B is "
		} else if jsonrpc.Valid(now) {
			which = "A is "
		}
		r, err = diff.NewReport(linesOf(old), linesOf(now), o.Options, o.Whole)
		r.AsText = which + "not valid JSON, compared as text"
	}
	return r, err
}

// linesOf returns the lines of a text as a JSON array.
func linesOf(text []byte) []byte {
	lines := strings.Split(textfield.Escape(strings.TrimSuffix(string(text), "\n")), "\n")
	for i := range lines {
		lines[i] = jsonrpc.Quote(lines[i])
	}
	return []byte("[" + strings.Join(lines, ",") + "]")
}

// Recordings finds out what differs between two recordings, the older one first.
func Recordings(paths, names [2]string) func(context.Context) (Subject, error) {
	s := Subject{Frames: true}
	for i := range names {
		s.Sides[i] = Side{Name: names[i], Where: paths[i]}
	}
	s.Compare = func(ctx context.Context, o Options) (Result, error) {
		of := paths
		if o.Swapped {
			of[0], of[1] = of[1], of[0]
		}
		changes, responses, err := replay.CompareFiles(ctx, of, o.Options)
		return replay.ReportOf(changes, responses), err
	}
	return func(context.Context) (Subject, error) { return s, nil }
}

// OfValues finds out what differs between two JSON values.
func OfValues(names [2]string, values [2][]byte) func(context.Context) (Subject, error) {
	s := Subject{Sides: [2]Side{{Name: names[0]}, {Name: names[1]}}}
	s.Compare = func(_ context.Context, o Options) (Result, error) { return Values(values, o) }
	return func(context.Context) (Subject, error) { return s, nil }
}

// Options selects what counts, and what is shown.
type Options struct {
	diff.Options
	Swapped bool
	Whole   bool // show everything that is equal
}
