package use

import (
	"encoding/json"
	"slices"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/experiment"
	"mcptea/session/explain/failure"
)

// Info is the output of info --json.
type Info struct {
	Target       string              `json:"target"`                     // command line or URL, secrets redacted
	Transport    string              `json:"transport"`                  // "stdio", "http" or "sse": the transport in use
	AsClient     *AsClient           `json:"as_client,omitempty"`        // the client that mcptea was to the server, with --as-client and the like
	Steps        []Step              `json:"steps"`                      // steps of connecting, in order
	Detection    client.EraDetection `json:"detection"`                  // the era of the server, and how it was detected
	TLS          *transport.TLS      `json:"tls,omitempty"`              // results of the TLS handshake, even if it failed
	Version      *Version            `json:"protocol_version,omitempty"` // absent if connecting failed, as the members below
	Server       json.RawMessage     `json:"server,omitempty"`           // serverInfo as received
	Instructions string              `json:"instructions,omitempty"`     // instructions of the server
	Capabilities *Capabilities       `json:"capabilities,omitempty"`     // capabilities of both sides
	Session      string              `json:"session,omitempty"`          // id of the session over HTTP
	RefusedBy    []Refusal           `json:"refused_by,omitempty"`       // values in the result of initialize that make clients built on SDKs refuse the connection
	Counts       map[string]int      `json:"counts,omitempty"`           // entries of each list that the server has: tools, resources, templates, prompts
	ListErrors   map[string]string   `json:"list_errors,omitempty"`      // why a list is incomplete
	Discovery    *Discovered         `json:"discovery,omitempty"`        // catalog and server cards of the host, with --discover or for a host without a path
	Error        *InfoError          `json:"error,omitempty"`            // why connecting failed
}

// AsClient is a client that mcptea was to the server.
type AsClient struct {
	ID      string   `json:"id,omitempty"`      // id in the catalogue, or in the client's file
	Name    string   `json:"name"`              // name and version of the client
	Source  string   `json:"source,omitempty"`  // source of the knowledge about the client
	Date    string   `json:"date,omitempty"`    // date of the source
	Changed []string `json:"changed,omitempty"` // values that the command line replaces: "clientInfo", "capabilities"
	Unknown []string `json:"unknown"`           // behavior of the client that is unknown; mcptea used its own
}

// Step is a step of connecting.
type Step struct {
	Name   string        `json:"name"`             // name of the step, such as "start process"
	State  string        `json:"state"`            // "waiting", "running", "done" or "failed"
	Took   phrase.Millis `json:"took_ms"`          // once it is done or has failed
	Detail string        `json:"detail,omitempty"` // result of the step
}

// Version describes the negotiation of the protocol version.
type Version struct {
	Offered    revision.Revision `json:"offered"`              // version that mcptea offered
	Negotiated revision.Revision `json:"negotiated"`           // version in use
	Unreleased string            `json:"unreleased,omitempty"` // the version that the server selected, with --lenient
}

// Capabilities holds the capabilities of both sides.
type Capabilities struct {
	Server json.RawMessage `json:"server"` // capabilities as received
	Client json.RawMessage `json:"client"` // capabilities as sent
	// Undefined has the paths that the protocol version does not define.
	Undefined Undefined `json:"undefined"`
}

// Refusal is a value in the result of initialize that makes clients built on SDKs refuse the
// connection.
type Refusal struct {
	SDKs    []string `json:"sdks"`    // SDKs that reject it, with the versions that were tested
	Path    string   `json:"path"`    // JSON Pointer in the result
	Message string   `json:"message"` // description of the problem
	Try     string   `json:"try"`     // advice for the author of the server
}

// Undefined holds the paths of capabilities that the protocol version does not define.
type Undefined struct {
	Server []string `json:"server"` // paths such as "tools.listChanged"
	Client []string `json:"client"` // undefined capabilities of the client
}

// InfoError is the error of a failed connection: the members of every error, and two more.
type InfoError struct {
	app.ErrorDocument
	Attempt  []failure.Line `json:"attempt"`  // what was tried
	Evidence []failure.Line `json:"evidence"` // evidence for the cause
	// Experiments are the trials that were made after the failure: the request that failed, or the start of the command, with one thing changed
	Experiments []Experiment `json:"experiments"`
}

// Experiment is a trial that was made after a failure.
type Experiment struct {
	ID      string        `json:"id"`      // stable id of the trial
	Changed string        `json:"changed"` // difference from the request that failed
	Outcome string        `json:"outcome"` // status and head of the response; may be text of the server
	Same    bool          `json:"same"`    // the outcome equals that without the change
	Works   bool          `json:"works"`   // the trial returned a result
	Took    phrase.Millis `json:"took_ms"` // time to the response
}

func experimentsOf(r experiment.Report) []Experiment {
	all := []Experiment{}
	for _, t := range r.Tried {
		all = append(all, Experiment{t.ID, t.Changed, t.Outcome, t.Same, t.Works, phrase.Millis(t.Took)})
	}
	return all
}

func (p *commands) printInfoJSON(f infoReport) error {
	st := f.state
	doc := Info{Target: f.target.String(), Transport: f.transport, Steps: []Step{}, Detection: st.Detection, TLS: st.TLS}
	doc.Detection.Evidence = append([]string{}, st.Detection.Evidence...)
	for _, s := range st.Steps {
		doc.Steps = append(doc.Steps, Step{s.Name, s.State.String(), phrase.Millis(s.Took), s.Detail})
	}
	if as := p.Flags.As; as != nil {
		doc.AsClient = &AsClient{as.ID, as.Words(), as.Source, as.Date, as.Changed, append([]string{}, as.Unknown()...)}
	}
	doc.Discovery = f.discovered
	if f.err == nil {
		doc.addConnection(f)
	} else {
		doc.Error = &InfoError{
			ErrorDocument: *p.Document(f.err, f.why),
			Attempt:       slices.Concat([]failure.Line{}, f.why.Attempt), Evidence: slices.Concat([]failure.Line{}, f.why.Authorization(), f.why.Evidence),
			Experiments: experimentsOf(f.trials),
		}
		doc.Error.Code = app.CodeName(link.ConnectCode(f.err, f.why))
	}
	return p.PrintDocument(doc)
}

// addConnection adds the facts that are known after connecting.
func (doc *Info) addConnection(f infoReport) {
	h := f.state.Handshake
	doc.Version = &Version{h.Offered, h.Revision, h.Unknown}
	doc.Server, _ = jsonrpc.Member(h.Result, "serverInfo")
	if h.Revision.IsStateless() {
		doc.Server, _ = jsonrpc.Member(h.Result, "_meta", revision.MetaServerInfo)
	}
	doc.Instructions, doc.Session = h.Instructions, f.state.Session
	doc.Capabilities = &Capabilities{h.ServerCaps, h.ClientCaps, Undefined{
		undefinedOf(revision.Server, h.ServerCaps, h.Revision), undefinedOf(revision.Client, h.ClientCaps, h.Revision),
	}}
	for _, r := range refusalsOf(h) {
		doc.RefusedBy = append(doc.RefusedBy, Refusal{r.SDKs, r.Path, r.Sentence(), r.Remedy()})
	}
	doc.Counts, doc.ListErrors = map[string]int{}, map[string]string{}
	for _, k := range client.ListKinds {
		l := f.lists[k.Name]
		if l.Offered && !isUnasked(l) {
			doc.Counts[k.Name] = len(l.Items)
		}
		if l.Err != nil {
			doc.ListErrors[k.Name] = link.SentenceOf(l.Err)
		}
	}
}

func undefinedOf(who revision.Sender, caps []byte, r revision.Revision) []string {
	paths := []string{}
	for _, o := range revision.Offers(who, caps, r) {
		if o.Value != nil {
			paths = append(paths, o.Undefined()...)
		}
	}
	return paths
}
