package use

import (
	"encoding/json"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/words/millis"
	"mcptea/session/offer"
	"mcptea/session/offer/diff"
	"mcptea/session/runs/compare"
)

// Comparison is what info --protocol all --json prints.
type Comparison struct {
	Target string         `json:"target"`           // command line or URL, secrets redacted
	Starts int            `json:"starts"`           // number of connections
	Listed []string       `json:"listed,omitempty"` // protocol versions in the result of server/discover
	Runs   []ComparedRun  `json:"runs"`             // one for each protocol version, the oldest first
	Steps  []ComparedStep `json:"steps"`            // from each version that the server speaks to the next one
}

// ComparedRun is the connection with one protocol version.
type ComparedRun struct {
	Revision     revision.Revision            `json:"protocol_version"`       // offered to the server
	Outcome      string                       `json:"outcome"`                // "spoken", "other", "refused", "failed" or "skipped"
	Note         string                       `json:"note,omitempty"`         // why it is not "spoken"
	Era          string                       `json:"era,omitempty"`          // "handshake" or "stateless"
	Negotiated   revision.Revision            `json:"negotiated,omitempty"`   // protocol version in use
	Took         millis.Duration              `json:"took_ms,omitempty"`      // of the connection and its lists
	Server       json.RawMessage              `json:"server,omitempty"`       // serverInfo as received
	Instructions string                       `json:"instructions,omitempty"` // of the server
	Capabilities json.RawMessage              `json:"capabilities,omitempty"` // of the server, as received
	Lists        map[string][]json.RawMessage `json:"lists,omitempty"`        // entries as received, by the name of the list
	Errors       map[string]string            `json:"errors,omitempty"`       // by the name of the list, or "connect"
}

// ComparedStep is what differs between two versions that the server speaks.
type ComparedStep struct {
	From    revision.Revision `json:"from"`    // the older version
	To      revision.Revision `json:"to"`      // the newer one
	Changes []ComparedChange  `json:"changes"` // what the server offers in another way
}

// ComparedChange is a change of what the server offers.
type ComparedChange struct {
	Section  string          `json:"section"`         // "server", "capabilities", "instructions", or the name of a list
	Items    []string        `json:"items,omitempty"` // names or URIs of the entries that share the change
	Path     string          `json:"path,omitempty"`  // JSON Pointer; absent for the entry itself
	Kind     diff.Kind       `json:"kind"`            // "added", "removed" or "changed"
	Breaking bool            `json:"breaking"`        // for clients that work with the older version
	Reason   string          `json:"reason"`          // one sentence
	Old      json.RawMessage `json:"old,omitempty"`   // as received, if it is the same for all items
	New      json.RawMessage `json:"new,omitempty"`   // as received, if it is the same for all items
}

func (p *commands) printCompareJSON(r compare.Report) error {
	doc := Comparison{Target: r.Target.String(), Starts: r.Starts, Listed: r.Listed, Steps: []ComparedStep{}}
	for _, run := range r.Runs {
		doc.Runs = append(doc.Runs, documentOfRun(run))
	}
	for _, s := range r.Steps {
		step := ComparedStep{From: s.From, To: s.To, Changes: []ComparedChange{}}
		for _, c := range s.Changes {
			step.Changes = append(step.Changes, ComparedChange{c.Section, c.Items, c.Path, c.Kind, c.Breaking, c.Reason, c.Old, c.New})
		}
		doc.Steps = append(doc.Steps, step)
	}
	return p.PrintDocument(doc)
}

func documentOfRun(run compare.Run) ComparedRun {
	d := ComparedRun{
		Revision: run.Revision, Outcome: run.Outcome.String(), Note: run.Note, Negotiated: run.Handshake.Revision,
		Took: millis.Duration(run.Took), Server: run.Server, Instructions: run.Instructions, Capabilities: run.ServerCaps,
	}
	if run.Handshake.Revision != "" {
		d.Era = run.Handshake.Revision.Era().String()
	}
	d.Errors, d.Lists = map[string]string{}, map[string][]json.RawMessage{}
	if run.Err != nil {
		d.Errors["connect"] = run.Err.Error()
	}
	for _, kind := range client.ListKinds {
		l := run.Lists[kind.Name]
		if l.Err != nil {
			d.Errors[kind.Name] = l.Err.Error()
		}
		if l.Offered {
			d.Lists[kind.Name] = rawItems(l)
		}
	}
	return d
}

func rawItems(l offer.List) []json.RawMessage {
	raws := []json.RawMessage{}
	for _, item := range l.Items {
		raws = append(raws, item.Raw)
	}
	return raws
}
