// Package modelview shows the tools of a server as a host presents them to a model: renamed, rewritten and cut.
// It reports what the host or the model's API rejects, what is lost, what could confuse a model, and the cost
// of the definitions in tokens.
//
// The facts about hosts are rows of hosts.jsonl, each with its source and date. Nothing is sent anywhere, and
// no model is used: tokens are estimated.
package modelview

import (
	"bytes"
	_ "embed" // the table
	"slices"
	"sync"

	"mcptea/internal/catalog"
	"mcptea/lint"
)

// Host is an application or an API that hands tools to a model: a row of hosts.jsonl,
// followed by its facts.
type Host struct {
	ID       string `json:"host"`
	Name     string
	Schema   string   // the member of a definition that has the schema of the arguments
	Type     string   // value of the member "type" of a definition, or ""
	Keep     []string // keywords of a schema that are sent; nil is all
	Drop     []string // keywords that are not
	DropRoot []string `json:"drop_root"` // keywords that are not sent at the root
	Inline   bool     // replaces references with their targets, and null with nullable

	Prefix    string // before the name; {server} is replaced with the name of the server
	PrefixMax int    `json:"prefix_max"` // maximum number of characters of the prefix, or 0 for no limit
	Replace   string // allowed characters of a name besides letters and digits; others become _
	Middle    int    // characters from which the middle of a name is left out; 0 for never
	Cut       int    // characters of a description that are sent; 0 is all

	SDK string // id of the client library that reads the list, or "" if unknown

	Facts []Fact `json:"-"`
}

// A Fact is a known behavior of a host: a limit that it enforces, or a change that it makes.
type Fact struct {
	ID        string   `json:"fact"`               // subject: name, unique, tools, root, items and so on
	Says      string   `json:"says"`               // a sentence
	Effect    Effect   `json:"effect"`             // "no list": all tools of the server; "refused": the whole request; "left out": the tool; "hidden": the tool, as the server requests; "changed"; "advice"
	Change    string   `json:"change"`             // advice for the author of the server
	Certainty string   `json:"certainty"`          // "measured", "documented", "reported", "uncertain", or "heuristic": a rule of mcptea
	Source    string   `json:"source"`             // document, source code, or the issue with the text of the error
	Date      string   `json:"date"`               // year and month of the source
	Max       int      `json:"max,omitempty"`      // the limit: characters, tools or tokens
	Size      int      `json:"size,omitempty"`     // characters of the text of a result that the host gives to a model as a whole
	Allowed   string   `json:"allowed,omitempty"`  // characters of a name besides ASCII letters and digits
	Letter    bool     `json:"letter,omitempty"`   // a name begins with a letter or _
	Deep      bool     `json:"deep,omitempty"`     // the fact applies to nested schemas too
	Pair      bool     `json:"pair,omitempty"`     // the limit is for the names of server and tool together
	Keywords  []string `json:"keywords,omitempty"` // keywords of a schema that it is about
}

// An Effect is the reaction of a host to a definition that does not meet its requirements.
type Effect string

// connect is the fact about the result of initialize. It concerns all tools of the server.
const connect = "connect"

// The effects.
const (
	noList  Effect = "no list"
	refused Effect = "refused"
	leftOut Effect = "left out"
	hidden  Effect = "hidden" // the tool is left out because the server requests that
	changed Effect = "changed"
)

// Severity returns the severity of problems with the fact. An uncertain fact never causes an error.
func (f *Fact) Severity() lint.Severity {
	switch f.Effect {
	case noList, refused, leftOut:
		if f.Certainty != "uncertain" {
			return lint.Error
		}
		return lint.Warn
	case changed:
		return lint.Warn
	}
	return lint.Info
}

//go:embed hosts.jsonl
var table []byte

// all returns the hosts of the table. The last one has the facts that apply to every host without its own fact
// on the subject.
var all = sync.OnceValue(func() []*Host {
	var hosts []*Host
	for row := range catalog.Lines(table) {
		if bytes.HasPrefix(row, []byte(`{"host"`)) {
			h := &Host{}
			catalog.Decode(row, h)
			hosts = append(hosts, h)
			continue
		}
		h := hosts[len(hosts)-1]
		h.Facts = append(h.Facts, Fact{})
		catalog.Decode(row, &h.Facts[len(h.Facts)-1])
	}
	common := hosts[len(hosts)-1].Facts
	for _, h := range hosts {
		own := h.Facts
		for _, f := range common {
			known := f.ID == "object" && h.SDK != "" // the SDK determines how the root is treated
			if !known && !slices.ContainsFunc(own, func(o Fact) bool { return o.ID == f.ID }) {
				h.Facts = append(h.Facts, f)
			}
		}
	}
	return hosts[:len(hosts)-1]
})

// Hosts returns the known hosts in display order. They must not be changed.
func Hosts() []*Host { return all() }

// IDs lists the names of the hosts on the command line. It is for the help, which does not read the table.
var IDs = []string{"claude", "claude-code", "openai", "gemini", "gemini-cli", "vscode", "cursor", "codex", "copilot-cli", "opencode", "bedrock", "typescript-sdk", "typescript-sdk-2", "go-sdk", "mcp-go", "plain"}

// Named returns the host with an id, or nil.
func Named(id string) *Host {
	i := slices.IndexFunc(all(), func(h *Host) bool { return h.ID == id })
	if i < 0 {
		return nil
	}
	return all()[i]
}
