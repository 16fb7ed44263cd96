package declare

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/peer"
	"mcptea/internal/server/rpcserver"
	"mcptea/session/runs/script"
)

// Options say how a file is served.
type Options struct {
	// Changes declares that the lists change: the file is read again.
	Changes bool
	// Seed makes the probabilities of faults repeatable; 0 means a random seed.
	Seed uint64
	// Report is called with a sentence about a request without a response; may be nil. It
	// may be called from several goroutines.
	Report func(text string)
}

// Mock is a declared server. Its methods may be called from any goroutine.
type Mock struct {
	ctx      context.Context // ends the events
	options  Options
	server   *peer.Server
	injector *injector

	mu         sync.Mutex
	stopEvents context.CancelFunc // stops the events of the previous file
}

// NewMock makes the server of a file. Delays of its faults end with ctx.
func NewMock(ctx context.Context, f *File, o Options) *Mock {
	info := map[string]string{"name": cmp.Or(f.name, "mcptea-mock"), "version": cmp.Or(f.version, "1.0.0")}
	if f.title != "" {
		info["title"] = f.title
	}
	capabilities := map[string]map[string]any{}
	for _, e := range f.entries {
		if e.list.Name == revision.Events.Name {
			extend(capabilities, revision.EventsExtension, map[string]bool{"listChanged": o.Changes})
			continue
		}
		if e.list.Name == revision.Skills.Name {
			extend(capabilities, revision.SkillsExtension, map[string]bool{"directoryRead": true})
			if capabilities["resources"] == nil {
				capabilities["resources"] = map[string]any{}
			}
			continue
		}
		capabilities[e.list.Needs] = map[string]any{}
		if o.Changes {
			capabilities[e.list.Needs]["listChanged"] = true
		}
		if len(e.values) > 0 {
			capabilities["completions"] = map[string]any{}
		}
	}
	m := &Mock{ctx: ctx, options: o, injector: newInjector(ctx, o.Seed), server: &peer.Server{
		Info: peer.Encode(info), Capabilities: peer.Encode(capabilities), Instructions: f.instructions, Lists: f.lists(o),
	}}
	m.injector.use(f)
	m.server.Bend.Answer = m.injector.answer
	m.emit(f)
	return m
}

// extend declares an extension.
func extend(capabilities map[string]map[string]any, id string, settings any) {
	if capabilities["extensions"] == nil {
		capabilities["extensions"] = map[string]any{}
	}
	capabilities["extensions"][id] = settings
}

// Replace makes the server serve another file, and tells clients which lists have changed. The name
// and the capabilities of the server stay.
func (m *Mock) Replace(f *File) {
	m.injector.use(f)
	m.server.Replace(f.lists(m.options))
	m.emit(f)
}

// ServeStdio serves one client, with a frame per line, until the end of in.
func (m *Mock) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	stdio := rpcserver.Stdio{Out: out, Open: peer.Opener(ctx, m.server), AtEnd: func() { m.server.EndSubscriptions() }}
	return stdio.Serve(ctx, in)
}

// Handler returns a handler of HTTP+SSE at /sse, and of Streamable HTTP at any other path. Its
// streams end with ctx.
func (m *Mock) Handler(ctx context.Context) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/sse", &rpcserver.SSE{Context: ctx, Open: peer.Opener(ctx, m.server)})
	mux.Handle("/", peer.Endpoint(ctx, m.server, false))
	return rpcserver.LoopbackOnly(m.injector.handler(mux))
}

// lists returns the lists of the server.
func (f *File) lists(o Options) map[string][]*peer.Entry {
	lists := map[string][]*peer.Entry{}
	for _, e := range f.entries {
		if e.list.Name == revision.Events.Name {
			lists[e.list.Name] = append(lists[e.list.Name], &peer.Entry{Key: e.key, Wire: e.wire})
			continue
		}
		if e.list.Name == revision.Skills.Name {
			p := &peer.Entry{Key: e.key, Wire: e.wire, Files: e.files}
			p.ListFiles()
			lists[e.list.Name] = append(lists[e.list.Name], p)
			continue
		}
		p := &peer.Entry{Key: e.key, Wire: e.wire, Fleeting: len(e.responses) > 1, Complete: map[string]peer.Completer{}}
		for name := range e.arguments {
			p.Complete[name] = func(map[string]string) []string { return e.values[name] }
		}
		p.Waits = slices.ContainsFunc(e.responses, func(r *response) bool { return r.delay > 0 })
		served := &served{entry: e, report: o.Report, used: make([]int, len(e.responses))}
		p.Run = served.run
		lists[e.list.Name] = append(lists[e.list.Name], p)
	}
	return lists
}

// served is an entry at work.
type served struct {
	*entry
	report func(text string)

	mu   sync.Mutex
	used []int // number of uses of each response
}

// choose returns the response for arguments; nil if none matches.
func (s *served) choose(args []byte) *response {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range s.responses {
		if (r.Times == 0 || s.used[i] < r.Times) && (r.When == nil || script.Matches(r.When, args)) {
			s.used[i]++
			return r
		}
	}
	return nil
}

func (s *served) run(ctx context.Context, c *peer.Call) (any, error) {
	args := map[string]json.RawMessage{}
	if len(c.Args) > 0 && s.arguments != nil {
		decode := c.Decode
		if s.list.Name != revision.Tools.Name { // only arguments of tools have defaults
			decode = func(v any) error { return json.Unmarshal(c.Args, v) }
		}
		if err := decode(&args); err != nil {
			return nil, err
		}
	}
	given := peer.Encode(args)
	r := s.choose(given)
	if r == nil {
		text := fmt.Sprintf("no response is declared for the %s %q with %s", s.list.Noun, s.key, given)
		if s.report != nil {
			s.report(text)
		}
		if s.list.Name == revision.Tools.Name {
			return nil, peer.Failf("%s", text)
		}
		return nil, &peer.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
	}
	if err := wait(ctx, c, r); err != nil {
		return nil, err
	}
	if r.Error != nil {
		e := &peer.Error{}
		if err := json.Unmarshal(s.filled(r.Error, given, true), e); err != nil {
			return nil, err
		}
		return nil, e
	}
	if s.list.Name == revision.Tools.Name {
		return s.toolResult(r.result, given), nil
	}
	return json.RawMessage(s.filled(r.result, given, false)), nil
}

// toolResult fills the texts, and the structured content with values of their types. Without
// content the text is the structured content.
func (s *served) toolResult(result, args []byte) json.RawMessage {
	out, hasContent := []byte("{"), false
	for name, value := range jsonrpc.Members(result) {
		structured := string(name) == "structuredContent"
		value = s.filled(value, args, structured)
		if hasContent = hasContent || string(name) == "content"; structured && !hasContent {
			out = jsonrpc.AppendMember(out, "content", peer.Encode([]json.RawMessage{peer.Textf("%s", value)}))
		}
		out = jsonrpc.AppendMember(out, string(name), value)
	}
	return append(out, '}')
}

func (s *served) filled(text, args []byte, typed bool) []byte {
	if s.arguments == nil || !strings.Contains(string(text), "{{") {
		return text
	}
	return fill(text, args, typed)
}

// wait lets the delay of a response pass, with its progress.
func wait(ctx context.Context, c *peer.Call, r *response) error {
	steps := max(1, r.Progress)
	for i := range steps {
		if r.delay > 0 {
			if err := c.Sleep(ctx, r.delay.Seconds()/float64(steps)); err != nil {
				return err
			}
		}
		if r.Progress > 0 {
			c.Progress(float64(i+1), float64(steps), "")
		}
	}
	return nil
}
