package use

import (
	"encoding/json"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/words/millis"
	"mcptea/session/offer"
	"mcptea/session/runs/compare"
)

// Comparison is what info --protocol all --json prints.
type Comparison struct {
	Target      string         `json:"target"`           // command line or URL, secrets redacted
	Starts      int            `json:"starts"`           // number of connections
	Listed      []string       `json:"listed,omitempty"` // protocol versions in the result of server/discover
	Runs        []ComparedRun  `json:"runs"`             // one for each protocol version, the oldest first
	Differences []ComparedFact `json:"differences"`      // with --all also what is the same
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

// ComparedFact is something that the versions may have or not.
type ComparedFact struct {
	Section string                             `json:"section"`         // "server", "capabilities", or the name of a list
	Items   []string                           `json:"items,omitempty"` // the capability or the entries
	Path    string                             `json:"path,omitempty"`  // JSON path in the entry; empty for the entry itself
	Differs bool                               `json:"differs"`         // between the versions
	In      map[revision.Revision]ComparedCell `json:"in"`              // by protocol version
}

// ComparedCell is a fact in one protocol version.
type ComparedCell struct {
	Present bool            `json:"present"`         // the server has it
	Defined bool            `json:"defined"`         // the protocol version defines it
	Value   json.RawMessage `json:"value,omitempty"` // as received
}

func (p *commands) printCompareJSON(r compare.Report, all bool) error {
	doc := Comparison{Target: r.Target.String(), Starts: r.Starts, Listed: r.Listed, Differences: []ComparedFact{}}
	for _, run := range r.Runs {
		doc.Runs = append(doc.Runs, documentOfRun(run))
	}
	rows := r.Table.Notable
	if all {
		rows = r.Table.Rows
	}
	for _, row := range rows {
		d := ComparedFact{Section: row.Section, Items: row.Items, Path: row.Path, Differs: row.Differs, In: make(map[revision.Revision]ComparedCell)}
		for i, c := range row.Cells {
			if c.State != compare.Nothing {
				d.In[r.Table.Revisions[i]] = ComparedCell{Present: c.State == compare.Present, Defined: !c.Undefined, Value: c.Value}
			}
		}
		doc.Differences = append(doc.Differences, d)
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
