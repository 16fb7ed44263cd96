package use

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/export/otlp"
)

// metaFlags are the members of _meta that a user adds to a request.
type metaFlags struct {
	members []string // NAME=TEXT or NAME:=JSON
	trace   bool
}

func (f *metaFlags) declare(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&f.members, "meta", nil, "add a member to _meta of the request, NAME=TEXT or NAME:=JSON; repeatable  `NAME=VALUE`")
		fs.BoolVar(&f.trace, "trace-context", false, "add a traceparent to _meta, a new one unless TRACEPARENT is set")
	})
}

// metaMember is a member of _meta.
type metaMember struct {
	name  string
	value []byte
}

// read returns the members of the flags, and the trace context of the environment (TRACEPARENT, TRACESTATE,
// BAGGAGE) unless the flags have its members.
func (f *metaFlags) read(p *commands) (all []metaMember, err error) {
	const hint = "Write it as --meta NAME=TEXT or --meta NAME:=JSON."
	for _, text := range f.members {
		name, value, ok := strings.Cut(text, "=")
		name, isJSON := strings.CutSuffix(name, ":")
		switch {
		case !ok || name == "":
			return nil, app.Usage(hint, "--meta %s has no value", text)
		case slices.ContainsFunc(all, func(m metaMember) bool { return m.name == name }):
			return nil, app.Usage("", "--meta %s is set twice", name)
		case !isJSON:
			all = append(all, metaMember{name, []byte(jsonrpc.Quote(value))})
		case !json.Valid([]byte(value)):
			return nil, app.Usage(hint, "--meta %s: the value is not JSON", name)
		default:
			all = append(all, metaMember{name, []byte(value)})
		}
	}
	return append(all, f.traceContext(p, all)...), nil
}

// traceContext returns the members of the trace context that are not among the given ones.
func (f *metaFlags) traceContext(p *commands, given []metaMember) (all []metaMember) {
	add := func(name, value string) {
		if value != "" && !slices.ContainsFunc(given, func(m metaMember) bool { return m.name == name }) {
			all = append(all, metaMember{name, []byte(jsonrpc.Quote(value))})
		}
	}
	parent := p.Env.Get("TRACEPARENT")
	switch {
	case otlp.IsTraceParent(parent):
		add("traceparent", parent)
		add("tracestate", p.Env.Get("TRACESTATE"))
		add("baggage", p.Env.Get("BAGGAGE"))
	case f.trace:
		add("traceparent", newTraceParent())
	case parent != "":
		p.Note("TRACEPARENT is not a traceparent of W3C Trace Context; it is not sent")
	}
	return all
}

// newTraceParent returns the context of a new trace, which is sampled.
func newTraceParent() string {
	id := make([]byte, 24)
	_, _ = rand.Read(id) // Read never returns an error
	id[0], id[16] = id[0]|1, id[16]|1
	return "00-" + hex.EncodeToString(id[:16]) + "-" + hex.EncodeToString(id[16:]) + "-01"
}

// withMeta adds members to _meta of params.
func withMeta(params []byte, members []metaMember) []byte {
	for _, m := range slices.Backward(members) {
		params = client.WithMeta(params, m.name, m.value)
	}
	return params
}
