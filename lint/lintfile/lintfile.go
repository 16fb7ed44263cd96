package lintfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/lazyregexp"
	"mcptea/lint"
	"mcptea/lint/baseline"
	"mcptea/lint/contract"
	"mcptea/lint/rules"
	"mcptea/record"
)

// A Report describes what Lint has read from a file.
type Report struct {
	Format string // "recording", "frames" or "log"
	Frames int    // number of frames checked
	lines  int
	// Problems lists sentences about lines that could not be read and were skipped, such as an incomplete last
	// line after a crash; at most maxProblems.
	Problems []string
	Skipped  int // number of problems
	// Unjudged lists the expectations that could not be judged.
	Unjudged []contract.Unjudged
	// Offers lists the last complete lists, if they were requested.
	Offers []*baseline.Offer
	// Beside counts the frames on other connections of the recording. They are not checked, because mcptea
	// check sends invalid messages on them on purpose.
	Beside int
	// Changed counts the frames of a recording that a breakpoint or a fault changed. firstChanged describes the
	// first one.
	Changed      int
	firstChanged string
	// IsPart reports that frames of the session are missing, so that rules that need all frames were not
	// judged.
	IsPart bool
}

// PartText is a sentence about a part of a session.
const PartText = "this is a part of a session: nothing is judged that depends on other frames, such as order, pairs and endings"

// PartLine is the first line of a file of frames that is a part of a session, even if its frames are of both sides.
const PartLine = "# a part of a session"

// ChangedText returns a sentence about the frames that a breakpoint or a fault changed.
func (r *Report) ChangedText() string {
	if r.Changed == 1 {
		return fmt.Sprintf("mcptea changed 1 frame on purpose: %s. Findings are about what the server and the client have sent.", r.firstChanged)
	}
	return fmt.Sprintf("mcptea changed %d frames on purpose, the first one: %s. Findings are about what the server and the client have sent.", r.Changed, r.firstChanged)
}

const maxProblems = 20

// maxHeld bounds the lines without a message that are held until the first message.
const maxHeld = 1000

// An untilValid holds lines that are not messages until the first message. A text without any message is not
// the log of a session, and is not judged.
type untilValid struct {
	look  func(lint.Frame)
	held  []lint.Frame
	found bool
}

func (u *untilValid) frame(f lint.Frame) {
	if f.Envelope.Kind == jsonrpc.Invalid && !u.found && len(u.held) < maxHeld {
		f.Bytes = bytes.Clone(f.Bytes)
		u.held = append(u.held, f)
		return
	}
	u.found = true
	u.release()
	u.look(f)
}

// release passes on the held lines.
func (u *untilValid) release() {
	for _, f := range u.held {
		u.look(f)
	}
	u.held = nil
}

func (r *Report) problem(text string) {
	if r.Skipped++; len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, text)
	}
}

// ErrNoFrames is returned if nothing in a file looks like a message.
var ErrNoFrames = errors.New("there is no JSON-RPC message in it")

// ErrNoEvents is returned if no event of a recording can be read.
var ErrNoEvents = errors.New("no event of the recording can be read: nothing was checked")

// Lint reads a file to its end and reports what the rules find. The row of a finding is a 1-based line number.
// Memory use does not grow with the file.
//
// When the context is done, Lint returns, even during a read; the read itself continues until the source
// returns.
func Lint(ctx context.Context, r io.Reader, found func(lint.Finding), options ...lint.Option) (Report, error) {
	return LintExpecting(ctx, r, contract.Terms{}, found, options...)
}

// LintExpecting is like [Lint], but also checks the user's expectations.
func LintExpecting(ctx context.Context, r io.Reader, terms contract.Terms, found func(lint.Finding), options ...lint.Option) (Report, error) {
	in := record.NewLines(ctx, r)
	defer in.Close()
	first, err := in.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return Report{}, err
	}
	if recording, wrong := record.NewReader(first, in); wrong == nil {
		return lintRecording(recording, found, &terms, options)
	}
	return lintLines(in, first, err, found, &terms, options)
}

// lintLines reads frames, one per line, or a log that contains frames. Its times have no meaning: each line
// arrives a moment after the previous one.
func lintLines(in *record.Lines, line []byte, err error, found func(lint.Finding), terms *contract.Terms, options []lint.Option) (Report, error) {
	sides := seenSides{found: found}
	engine := rules.New(sides.finding, options...)
	engine.Begin(lint.Stdio)
	judge := contract.New(terms, found)
	g := guess{asked: map[jsonrpc.Key]transport.Direction{}}
	rep := Report{Format: "frames"}
	at := time.Unix(0, 0)
	look := func(f lint.Frame) {
		if !terms.IsEmpty() {
			judge.Frame(&f.Frame, f.Row)
		}
		sides.frame(&f)
		engine.Frame(f)
	}
	first := untilValid{look: look}
	within := 0    // number of frames found inside other text
	named := false // a line has a member of JSON-RPC
	for ; len(line) > 0; line, err = nextLine(in, err) {
		rep.lines++
		at = at.Add(time.Millisecond)
		if in.IsCut() {
			rep.problem(fmt.Sprintf("line %d was skipped: %v", rep.lines, record.ErrTooLong))
			continue
		}
		text, ending := cutEnding(line)
		if rep.lines == 1 && string(text) == PartLine {
			sides.begun = true
			continue
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		named = named || looksLike(text) || methodMember().Match(text)
		before, frame, marked := cutFrame(text)
		if rep.Format == "log" && len(bytes.TrimSpace(text)) == 1 { // the beginning of JSON over several lines, as in Markdown
			frame = nil
		}
		if frame == nil {
			rep.Format = "log"
			continue
		}
		if len(bytes.TrimSpace(before)) > 0 && !marked {
			rep.Format = "log"
			within++
		}
		e := jsonrpc.Scan(frame)
		if err != nil && e.Fault == jsonrpc.FaultNotJSON && looksLike(frame) {
			rep.problem(fmt.Sprintf("line %d is incomplete: the file was cut off after %d bytes of it", rep.lines, len(line)))
			break
		}
		rep.Frames++
		f := lint.Frame{Row: int32(rep.lines)}
		f.Bytes, f.Envelope, f.Time, f.Dir, f.Ending = frame, e, at, g.direction(before, frame, e), ending
		first.frame(f)
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return rep, err
	case rep.Frames == 0:
		return rep, ErrNoFrames
	case !first.found && !named && rep.Format == "log": // JSON of something else over several lines, such as a configuration
		return rep, ErrNoFrames
	case !first.found && within == rep.Frames:
		return rep, fmt.Errorf("%w, but text with \"jsonrpc\" in it: source code is not linted, only what was sent", ErrNoFrames)
	}
	first.release()
	engine.Last()
	rep.IsPart = sides.isPart()
	rep.Unjudged, rep.Offers = judge.End(len(rep.Problems) == 0), judge.Offers()
	return rep, nil
}

// methodMember matches a member that a message without "jsonrpc" has.
var methodMember = lazyregexp.New(`"(?:method|result|error|params)"\s*:`)

// nextLine returns the next line, or the earlier error of the file.
func nextLine(in *record.Lines, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return in.Next()
}

func cutEnding(line []byte) (text []byte, ending string) {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return line[:len(line)-2], "\r\n"
	case bytes.HasSuffix(line, []byte("\n")):
		return line[:len(line)-1], "\n"
	}
	return line, ""
}
