package lintfile

import (
	"bytes"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/lazyregexp"
)

// marks holds the prefixes of frames that identify their sender, by direction. maxMark bounds their length.
var marks = [...][]string{
	transport.Out: {"> ", "C> ", "-> ", "→ ", ">> ", "--> "},
	transport.In:  {"< ", "S> ", "<- ", "← ", "<< ", "<-- "},
}

const maxMark = 4

// cutFrame finds the frame in a line: the whole line, the text after a mark, or the JSON-RPC message in a log
// line.
func cutFrame(line []byte) (before, frame []byte, marked bool) {
	end := bytes.IndexByte(line[:min(len(line), maxMark)], ' ') + 1
	if _, ok := markOf(string(line[:end])); ok {
		return line[:end], line[end:], true
	}
	if c := line[0]; c == '{' || c == '[' && looksLike(line) && !isTag(line) {
		return nil, line, false
	}
	from := bytes.IndexByte(line, '{')
	if from < 0 || !looksLike(line[from:]) {
		return line, nil, false
	}
	e := jsonrpc.Scan(line[from:])
	to := len(line)
	if e.Fault == jsonrpc.FaultTrailingBytes {
		to = from + e.At
	}
	return line[:from], bytes.TrimRight(line[from:to], " \t"), false
}

// isTag reports whether a line begins with a word in brackets, and not with an array.
func isTag(line []byte) bool {
	rest := bytes.TrimLeft(line[1:], " \t")
	return len(rest) > 0 && ('a' <= rest[0]|0x20 && rest[0]|0x20 <= 'z')
}

// markOf returns the direction that a mark means.
func markOf(mark string) (dir transport.Direction, ok bool) {
	i := slices.IndexFunc(marks[:], func(all []string) bool { return slices.Contains(all, mark) })
	return transport.Direction(max(i, 0)), i >= 0
}

func looksLike(b []byte) bool { return bytes.Contains(b, []byte(`"jsonrpc"`)) }

// bounds of the remembered senders of requests
const (
	maxGuessed   = 200_000
	maxGuessedID = 1 << 10
)

// A guess determines the senders of frames if nothing else identifies them.
type guess struct {
	asked map[jsonrpc.Key]transport.Direction // direction of the newest request with an id
}

// words maps words of logs to the direction of a message, from the client's point of view. In a server's own
// log the directions are reversed, which the methods reveal.
var words = []struct {
	word string
	dir  transport.Direction
}{
	{"client->server", transport.Out},
	{"server->client", transport.In},
	{"to server", transport.Out},
	{"from server", transport.In},
	{"to client", transport.In},
	{"from client", transport.Out},
	{"=>", transport.Out},
	{"<=", transport.In},
	{">>", transport.Out},
	{"<<", transport.In},
	{"-->", transport.Out},
	{"<--", transport.In},
}

// arrow is a direction between two named sides, such as [editor -> server], as hosts write it.
var arrow = lazyregexp.New(`(?i)\b(\w+) ?(?:->|=>|→) ?(\w+)\b`)

// arrowOf returns the direction of an arrow between two names. ok is false unless exactly one of them is the
// server.
func arrowOf(before []byte) (dir transport.Direction, ok bool) {
	m := arrow().FindSubmatch(before)
	if m == nil {
		return 0, false
	}
	from, to := bytes.EqualFold(m[1], []byte("server")), bytes.EqualFold(m[2], []byte("server"))
	if from == to {
		return 0, false
	}
	if to {
		return transport.Out, true
	}
	return transport.In, true
}

func (g *guess) direction(before, frame []byte, e jsonrpc.Envelope) transport.Direction {
	dir := g.of(before, frame, e)
	if id := e.ID.Of(frame); e.Kind == jsonrpc.Request && len(id.Shown()) <= maxGuessedID {
		if len(g.asked) >= maxGuessed {
			clear(g.asked)
		}
		g.asked[id.Key()] = dir
	}
	return dir
}

func (g *guess) of(before, frame []byte, e jsonrpc.Envelope) transport.Direction {
	if dir, ok := markOf(string(before)); ok {
		return dir
	}
	if m, ok := revision.Lookup(e.MethodName(frame)); ok {
		switch m.Sender("") {
		case revision.Client:
			return transport.Out
		case revision.Server:
			return transport.In
		}
	}
	if e.Kind.IsResponse() {
		if asked, ok := jsonrpc.Lookup(g.asked, e.ID.Of(frame)); ok {
			return 1 - asked
		}
		return transport.In
	}
	if dir, ok := arrowOf(before); ok {
		return dir
	}
	text := strings.ToLower(string(before))
	for _, w := range words {
		if strings.Contains(text, w.word) {
			return w.dir
		}
	}
	if e.Kind == jsonrpc.Request {
		return transport.Out
	}
	return transport.In
}
