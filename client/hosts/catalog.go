package hosts

import (
	"bytes"
	_ "embed" // the tables
	"encoding/json"
	"strings"
	"sync"

	"mcptea/client/hosts/syntax"
	"mcptea/internal/catalog"
)

// host is an application that has MCP servers in its configuration: a row of
// hosts.jsonl, followed by the rows of its files in the order of precedence, the lowest
// first.
type host struct {
	ID       string `json:"host"`
	Name     string
	Dialect  string
	Roots    roots  // possible roots, the recommended one first
	SameName string `json:"same_name"` // how the host combines entries of the same name in several files
	files    []location
	dialect  *dialect
}

// How a host combines entries of the same name in several files, if the entry of the highest scope does not
// replace the others.
const (
	merges    = "merges"     // the keys of the higher scope replace those of the lower one
	loadsBoth = "loads-both" // all entries are loaded, in no order
	separate  = "separate"   // each file is separate: agents, manifests
)

// location is the place of a host's configuration file.
type location struct {
	Path     string // see [Machine.resolve]; * in the last elements matches any name
	Scope    Scope
	Format   syntax.Format
	OS       string // "windows", "darwin", "linux", "unix" for all but Windows; empty for all
	Variable string // environment variable that replaces the first part of Path
	Roots    roots  // roots of this file instead of the host's
	Dialect  string // dialect of this file, if it differs from the dialect of the host
	Moved    string // the newer place, for F010
	MovedAt  string `json:"moved_at"` // new JSON Pointer of moved servers
	Instead  string // the file to use instead, for F009
	List     bool   // the servers are a list of objects with a name
	Layered  bool   // entries may change entries of other files
	Trust    bool   // the file is read only in trusted projects
	Optional bool   // the file is for other purposes: without servers it is not a problem
	Reader   string // name of one of [readers], instead of the usual form
	dialect  *dialect
}

// roots are paths of keys to the servers; JSON Pointers in the table.
type roots [][]string

// UnmarshalJSON reads a list of JSON Pointers. No key has a slash.
func (r *roots) UnmarshalJSON(data []byte) error {
	var pointers []string
	err := json.Unmarshal(data, &pointers)
	*r = nil // do not use the host's
	for _, p := range pointers {
		*r = append(*r, strings.Split(p, "/")[1:])
	}
	return err
}

var (
	//go:embed hosts.jsonl
	hostTable []byte
	//go:embed dialects.jsonl
	dialectTable []byte
)

// allDialects are the rows of dialects.jsonl by their id.
var allDialects = sync.OnceValue(func() map[string]*dialect {
	dialects := map[string]*dialect{}
	for row := range catalog.Lines(dialectTable) {
		d := &dialect{}
		catalog.Decode(row, d)
		d.complete()
		dialects[d.ID] = d
	}
	return dialects
})

// allHosts lists the hosts, and the places of their configurations.
var allHosts = sync.OnceValue(func() []*host {
	dialects := allDialects()
	var all []*host
	for row := range catalog.Lines(hostTable) {
		if bytes.HasPrefix(row, []byte(`{"host"`)) {
			h := &host{}
			catalog.Decode(row, h)
			h.dialect = dialects[h.Dialect]
			all = append(all, h)
			continue
		}
		h := all[len(all)-1]
		l := location{Roots: h.Roots, Dialect: h.Dialect}
		catalog.Decode(row, &l)
		l.dialect = dialects[l.Dialect]
		h.files = append(h.files, l)
	}
	return all
})

// HostName returns the name of a host as its maker writes it, or the id if the host is unknown.
func HostName(id string) string {
	for _, h := range allHosts() {
		if h.ID == id {
			return h.Name
		}
	}
	return id
}

// IDs returns the ids of all hosts.
func IDs() []string {
	var ids []string
	for _, h := range allHosts() {
		ids = append(ids, h.ID)
	}
	return ids
}

// existsOn reports whether a location exists on an operating system.
func (l *location) existsOn(system string) bool {
	return l.OS == "" || l.OS == system || l.OS == "unix" && system != "windows"
}
