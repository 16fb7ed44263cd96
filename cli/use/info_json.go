package use

import (
	"encoding/json"
	"slices"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/failure"
)

// infoDocument is what info --json prints.
type infoDocument struct {
	Target       string               `json:"target"`
	Transport    string               `json:"transport"`
	Steps        []stepDocument       `json:"steps"`
	Detection    detectionDocument    `json:"detection"`
	Revision     *revisionDocument    `json:"protocol_version,omitempty"`
	Server       json.RawMessage      `json:"server,omitempty"` // serverInfo as received
	Instructions string               `json:"instructions,omitempty"`
	Capabilities *capabilityDocuments `json:"capabilities,omitempty"`
	Session      string               `json:"session,omitempty"`
	Counts       map[string]int       `json:"counts,omitempty"`
	ListErrors   map[string]string    `json:"list_errors,omitempty"`
	Error        *errorDocument       `json:"error,omitempty"`
}

type stepDocument struct {
	Name   string  `json:"name"`
	State  string  `json:"state"`
	TookMS float64 `json:"took_ms"`
	Detail string  `json:"detail,omitempty"`
}

type detectionDocument struct {
	Era        string   `json:"era"`
	DetectedBy string   `json:"detected_by,omitempty"`
	Evidence   []string `json:"evidence"`
}

type revisionDocument struct {
	Offered    string `json:"offered"`
	Negotiated string `json:"negotiated"`
	Unreleased string `json:"unreleased,omitempty"` // the version that the server selected, with --lenient
}

type capabilityDocuments struct {
	Server json.RawMessage `json:"server"`
	Client json.RawMessage `json:"client"`
	// Undefined are the paths that the protocol version does not define.
	Undefined struct {
		Server []string `json:"server"`
		Client []string `json:"client"`
	} `json:"undefined"`
}

type errorDocument struct {
	app.ErrorDocument
	Attempt  []lineDocument `json:"attempt"`
	Evidence []lineDocument `json:"evidence"`
}

// lineDocument is one line of an explanation.
type lineDocument struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

func lineDocuments(lines []failure.Line) []lineDocument {
	docs := []lineDocument{}
	for _, l := range lines {
		docs = append(docs, lineDocument{l.Label, l.Text})
	}
	return docs
}

func (p *commands) printInfoJSON(f infoReport) error {
	st := f.state
	doc := infoDocument{
		Target: f.target.String(), Transport: f.transport, Steps: []stepDocument{},
		Detection: detectionDocument{Era: st.Detection.Era.String(), DetectedBy: st.Detection.DetectedBy, Evidence: st.Detection.Evidence},
	}
	if doc.Detection.Evidence == nil {
		doc.Detection.Evidence = []string{}
	}
	for _, s := range st.Steps {
		doc.Steps = append(doc.Steps, stepDocument{s.Name, s.State.String(), app.Milliseconds(s.Took), s.Detail})
	}
	if f.err != nil {
		doc.Error = &errorDocument{
			ErrorDocument: app.ErrorDocument{
				Code: app.CodeName(target.ConnectCode(f.err)), Step: target.FailedStep(f.err), Message: f.why.Sentence, Cause: f.why.Cause, Try: f.why.Try,
			},
			Attempt: lineDocuments(f.why.Attempt), Evidence: lineDocuments(slices.Concat(f.why.Authorization(), f.why.Evidence)),
		}
		return p.PrintDocument(doc)
	}
	doc.addConnection(f)
	return p.PrintDocument(doc)
}

// addConnection adds what is known after connecting.
func (doc *infoDocument) addConnection(f infoReport) {
	h := f.state.Handshake
	doc.Revision = &revisionDocument{string(h.Offered), string(h.Revision), h.Unknown}
	doc.Server, _ = jsonrpc.Member(h.Result, "serverInfo")
	if h.Revision.IsStateless() {
		doc.Server, _ = jsonrpc.Member(h.Result, "_meta", revision.MetaServerInfo)
	}
	doc.Instructions, doc.Session = h.Instructions, f.state.Session
	doc.Capabilities = &capabilityDocuments{Server: h.ServerCaps, Client: h.ClientCaps}
	doc.Capabilities.Undefined.Server = undefinedOf(revision.Server, h.ServerCaps, h.Revision)
	doc.Capabilities.Undefined.Client = undefinedOf(revision.Client, h.ClientCaps, h.Revision)
	doc.Counts = make(map[string]int)
	for _, k := range client.ListKinds {
		l := f.lists[k.Name]
		if l.Offered {
			doc.Counts[k.Name] = len(l.Items)
		}
		if l.Err != nil {
			if doc.ListErrors == nil {
				doc.ListErrors = make(map[string]string)
			}
			doc.ListErrors[k.Name] = target.SentenceOf(l.Err)
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
