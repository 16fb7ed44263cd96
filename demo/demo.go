package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"mcptea/client/revision"
	"mcptea/demo/primitives"
	"mcptea/internal/server/peer"
	"mcptea/internal/server/rpcserver"
)

// Options configure the server. The zero value is a server without fault, at the pace of the real clock.
type Options struct {
	// Fault is the name of a fault in [Faults], or "".
	Fault string
	// Pace is the real duration of a second of simulated work (long-work, slow-start and others), or 0 for a
	// second.
	Pace time.Duration
	// Offers selects the offered entries, by the name of the list and the name or URI of the entry; nil offers
	// all. Tests of screens use a fixed selection.
	Offers func(list, key string) bool
	// Log takes lines about the inside of an HTTP server; nil discards. Over
	// stdio they go to the errs of [Server.ServeStdio].
	Log io.Writer
	// Exit ends the process, for faults that do; nil is [os.Exit]. When it
	// returns, ServeStdio returns an [ExitError].
	Exit func(code int)
	// Deliveries sends the deliveries of webhooks of a server over HTTP; nil is [http.DefaultTransport].
	Deliveries http.RoundTripper
}

// Server is the demo server. Its methods may be called from any goroutine, and
// more than once: each call of ServeStdio and of HandlerContext is a server of its own.
type Server struct {
	options Options
	fault   fault
	err     error
}

// New makes a server. An unknown fault is reported by ServeStdio, and by the
// handler as 500; see [FaultNamed].
func New(options Options) *Server {
	if options.Exit == nil {
		options.Exit = os.Exit
	}
	if options.Pace <= 0 {
		options.Pace = time.Second
	}
	s := &Server{options: options}
	if options.Fault == "" {
		return s
	}
	var ok bool
	if s.fault, ok = findFault(options.Fault); !ok {
		s.err = fmt.Errorf("no such fault: %q", options.Fault)
	}
	return s
}

// An ExitError reports that a fault ended the process, or would have.
type ExitError struct{ Code int }

// Error names the code.
func (e *ExitError) Error() string { return fmt.Sprintf("exit with code %d", e.Code) }

// run is the state of one server, which faults can change.
type run struct {
	options Options
	fault   fault
	ctx     context.Context
	stop    context.CancelCauseFunc
	errs    io.Writer
	// Over HTTP out is nil, and stdio unused.
	out   *output
	stdio rpcserver.Stdio
}

// describe builds the tables of a run, with the changes of the fault.
func (r *run) describe() *peer.Server {
	server := primitives.New(r.options.Pace)
	server.Log = r.errs
	if r.options.Offers != nil {
		for list, entries := range server.Lists {
			server.Lists[list] = slices.DeleteFunc(entries, func(e *peer.Entry) bool { return !r.options.Offers(list, e.Key) })
		}
	}
	if len(server.Lists[revision.Events.Name]) == 0 {
		server.Capabilities = withoutEvents(server.Capabilities)
	}
	if r.fault.Name != "" {
		r.fault.apply(r, server)
	}
	return server
}

// withoutEvents removes the events extension from capabilities.
func withoutEvents(capabilities []byte) []byte {
	var all, extensions map[string]json.RawMessage
	if json.Unmarshal(capabilities, &all) != nil || json.Unmarshal(all["extensions"], &extensions) != nil {
		return capabilities
	}
	delete(extensions, revision.EventsExtension)
	all["extensions"], _ = json.Marshal(extensions) // the members are JSON, so it never fails
	without, _ := json.Marshal(all)
	return without
}

// exit ends the process, or at least the run. Frames sent before are still written.
func (r *run) exit(code int) {
	r.stdio.Flush()
	r.options.Exit(code)
	r.stop(&ExitError{code})
}
