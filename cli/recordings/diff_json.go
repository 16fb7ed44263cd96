package recordings

import (
	"encoding/json"

	"mcptea/session/diff"
	"mcptea/session/replay"
)

// diffDocument is what diff --json prints.
type diffDocument struct {
	Old         string            `json:"old"`
	New         string            `json:"new"`
	Equal       bool              `json:"equal"`
	Breaking    int               `json:"breaking"`
	Changes     []changeEntry     `json:"changes,omitempty"`
	Responses   []responseEntry   `json:"responses,omitempty"`
	Differences []differenceEntry `json:"differences,omitempty"`
	More        int               `json:"more,omitempty"` // differences that are not listed
}

type changeEntry struct {
	Section  string          `json:"section"`
	Item     string          `json:"item,omitempty"`
	Path     string          `json:"path,omitempty"` // JSON Pointer
	Kind     string          `json:"kind"`
	Breaking bool            `json:"breaking"`
	Reason   string          `json:"reason"`
	Old      json.RawMessage `json:"old,omitempty"`
	New      json.RawMessage `json:"new,omitempty"`
}

type responseEntry struct {
	Method      string            `json:"method"`
	Name        string            `json:"name,omitempty"` // of the tool or prompt, or the URI
	Kind        string            `json:"kind"`
	OldFrame    int               `json:"old_frame,omitempty"` // number of the request
	NewFrame    int               `json:"new_frame,omitempty"`
	Note        string            `json:"note,omitempty"`
	Differences []differenceEntry `json:"differences,omitempty"`
	More        int               `json:"more,omitempty"`
}

type differenceEntry struct {
	Kind string          `json:"kind"`
	Path string          `json:"path"` // JSON Pointer
	Name string          `json:"name,omitempty"`
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"`
}

func (p *commands) printDiffJSON(r *diffReport, f diffFlags) error {
	doc := diffDocument{Old: r.old.name, New: r.new.name, Equal: r.counted(f) == 0, Breaking: r.breaking(), More: r.more}
	for _, c := range r.changes {
		if !f.breaking || c.Breaking {
			doc.Changes = append(doc.Changes, changeEntry{c.Section, c.Item, c.Path, c.Kind.String(), c.Breaking, c.Reason, c.Old, c.New})
		}
	}
	for _, one := range r.responses {
		e := responseEntry{Method: methodOf(one.Pair), Name: one.Subject, Kind: diff.Changed.String(), Note: one.Note, Differences: differenceEntries(one.Differences), More: one.More}
		if one.Old == nil {
			e.Kind = diff.Added.String()
		} else {
			e.OldFrame = int(one.Old.Row) + 1
		}
		if one.New == nil {
			e.Kind = diff.Removed.String()
		} else {
			e.NewFrame = int(one.New.Row) + 1
		}
		doc.Responses = append(doc.Responses, e)
	}
	doc.Differences = differenceEntries(r.differences)
	return p.PrintDocument(doc)
}

func methodOf(pair replay.Pair) string {
	if pair.New != nil {
		return pair.New.Method
	}
	return pair.Old.Method
}

func differenceEntries(differences []diff.Difference) []differenceEntry {
	var all []differenceEntry
	for _, d := range differences {
		all = append(all, differenceEntry{d.Kind.String(), d.Path, d.Name, d.Old, d.New})
	}
	return all
}
