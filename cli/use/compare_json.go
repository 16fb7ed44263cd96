package use

import (
	"encoding/json"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/session/compare"
)

// comparisonDocument is what info --protocol all --json prints.
type comparisonDocument struct {
	Target      string               `json:"target"`
	Starts      int                  `json:"starts"`
	Listed      []string             `json:"listed,omitempty"` // by server/discover
	Runs        []runDocument        `json:"runs"`
	Differences []differenceDocument `json:"differences"`
}

type runDocument struct {
	Revision     revision.Revision            `json:"protocol_version"`
	Outcome      string                       `json:"outcome"`
	Note         string                       `json:"note,omitempty"`
	Era          string                       `json:"era,omitempty"`
	Negotiated   string                       `json:"negotiated,omitempty"`
	TookMS       float64                      `json:"took_ms,omitempty"`
	Server       json.RawMessage              `json:"server,omitempty"`
	Instructions string                       `json:"instructions,omitempty"`
	Capabilities json.RawMessage              `json:"capabilities,omitempty"`
	Lists        map[string][]json.RawMessage `json:"lists,omitempty"`
	Errors       map[string]string            `json:"errors,omitempty"` // by list, or "connect"
}

type differenceDocument struct {
	Section string                               `json:"section"`
	Items   []string                             `json:"items,omitempty"`
	Path    string                               `json:"path,omitempty"`
	Differs bool                                 `json:"differs"`
	In      map[revision.Revision]cellOfDocument `json:"in"`
}

type cellOfDocument struct {
	Present bool            `json:"present"`
	Defined bool            `json:"defined"` // by the revision
	Value   json.RawMessage `json:"value,omitempty"`
}

func (p *commands) printCompareJSON(r compare.Report, all bool) error {
	doc := comparisonDocument{Target: r.Target.String(), Starts: r.Starts, Listed: r.Listed, Differences: []differenceDocument{}}
	for _, run := range r.Runs {
		doc.Runs = append(doc.Runs, documentOfRun(run))
	}
	rows := r.Table.Notable
	if all {
		rows = r.Table.Rows
	}
	for _, row := range rows {
		d := differenceDocument{Section: row.Section, Items: row.Items, Path: row.Path, Differs: row.Differs, In: make(map[revision.Revision]cellOfDocument)}
		for i, c := range row.Cells {
			if c.State != compare.Nothing {
				d.In[r.Table.Revisions[i]] = cellOfDocument{Present: c.State == compare.Present, Defined: !c.Undefined, Value: c.Value}
			}
		}
		doc.Differences = append(doc.Differences, d)
	}
	return p.PrintDocument(doc)
}

func documentOfRun(run compare.Run) runDocument {
	d := runDocument{
		Revision: run.Revision, Outcome: run.Outcome.String(), Note: run.Note, Negotiated: string(run.Handshake.Revision),
		TookMS: app.Milliseconds(run.Took), Server: run.Server, Instructions: run.Instructions, Capabilities: run.ServerCaps,
	}
	if run.Handshake.Revision != "" {
		d.Era = run.Handshake.Revision.Era().String()
	}
	if run.Err != nil {
		d.Errors = map[string]string{"connect": run.Err.Error()}
	}
	for _, kind := range client.ListKinds {
		l := run.Lists[kind.Name]
		if l.Err != nil {
			if d.Errors == nil {
				d.Errors = make(map[string]string)
			}
			d.Errors[kind.Name] = l.Err.Error()
		}
		if l.Offered {
			if d.Lists == nil {
				d.Lists = make(map[string][]json.RawMessage)
			}
			d.Lists[kind.Name] = rawItems(l)
		}
	}
	return d
}

func rawItems(l session.List) []json.RawMessage {
	raws := []json.RawMessage{}
	for _, item := range l.Items {
		raws = append(raws, item.Raw)
	}
	return raws
}
