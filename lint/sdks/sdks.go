// Package sdks lists the values that the clients of SDKs reject in a list of tools and in the result of
// initialize. One unexpected value makes most SDKs reject the whole list, so the host gets no tool of the
// server, or even the connection.
//
// The facts were measured. For each member and each JSON type, each SDK read a list with a correct tool and
// one with a single mistake, and connected to a server whose result of initialize had a single mistake. A
// test in e2e repeats the measurement and compares.
package sdks

import (
	"bytes"
	_ "embed" // the table
	"slices"
	"strconv"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/internal/catalog"
	"mcptea/internal/schema"
	"mcptea/internal/words/phrase"
)

// An SDK is a client library with its requirements for tools and for the result of initialize.
type SDK struct {
	ID       string `json:"sdk"`
	Name     string // name for use in a sentence
	Package  string // name in the registry of its language
	Version  string // measured version
	Measured string // year and month

	members   []requirement          // requirements for a tool
	handshake []requirement          // requirements for the result of initialize
	keywords  map[string]requirement // requirements for keywords at any depth of outputSchema
}

// A requirement restricts a value to some types, or to some values.
type requirement struct {
	Of      string   `json:"of"` // "initialize": its result; empty is a tool
	At      string   `json:"at"` // the parts of a JSON Pointer into it; * is any element or member
	Keyword string   `json:"keyword"`
	Kinds   kinds    `json:"kinds"`  // types of JSON, and "missing", with blanks between
	Values  []string `json:"values"` // strings that are accepted although string is not among the types
	Needs   string   `json:"needs"`  // other requirements, in words

	parts []string // parts of At
}

// kinds holds words separated by blanks.
type kinds []string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *kinds) UnmarshalText(text []byte) error {
	*k = strings.Fields(string(text))
	return nil
}

// Fault is a value that makes an SDK refuse the whole list, or the connection.
type Fault struct {
	Path     string // a JSON Pointer into the tool, or into the result of initialize
	Found    string // "null", "5", "an array", "nothing"
	Wants    string // "a string", "an object"
	Optional bool   // the member may be left out
	Missing  bool   // the value is missing

	isArray, wantsObject bool
}

//go:embed sdks.jsonl
var table []byte

// all returns the SDKs of the table.
var all = sync.OnceValue(func() []*SDK {
	var list []*SDK
	for row := range catalog.Lines(table) {
		if bytes.HasPrefix(row, []byte(`{"sdk"`)) {
			s := &SDK{keywords: map[string]requirement{}}
			catalog.Decode(row, s)
			list = append(list, s)
			continue
		}
		s, r := list[len(list)-1], requirement{}
		catalog.Decode(row, &r)
		if r.At != "" {
			r.parts = strings.Split(r.At, "/")[1:]
		}
		switch {
		case r.Keyword != "":
			s.keywords[r.Keyword] = r
		case r.Of == "initialize":
			s.handshake = append(s.handshake, r)
		default:
			s.members = append(s.members, r)
		}
	}
	return list
})

// Named returns the SDK with an id, or nil. It must not be changed.
func Named(id string) *SDK {
	i := slices.IndexFunc(all(), func(s *SDK) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return all()[i]
}

// Release returns the name with the version: "TypeScript SDK 1.32.2".
func (s *SDK) Release() string {
	major, _, _ := strings.Cut(s.Version, ".")
	return strings.TrimSuffix(s.Name, " "+major) + " " + s.Version
}

const (
	// maxFaults bounds the faults of a tool. One is enough to lose the list.
	maxFaults = 20
	maxFound  = 60 // bytes of a value that is shown
)

// Refuses returns the values of a tool that make the SDK refuse the list, or nil. tool is an entry
// of a tools/list.
func (s *SDK) Refuses(tool []byte) []Fault {
	f := finder{sdk: s}
	for i := range s.members {
		r := &s.members[i]
		f.member(r, "", tool, r.parts)
	}
	if len(s.keywords) > 0 && len(f.faults) == 0 { // output schemas are compiled after the list was accepted
		if schema, ok := jsonrpc.Member(tool, "outputSchema"); ok {
			f.compile("/outputSchema", schema)
		}
	}
	return f.faults
}

// RefusesConnection returns the values in the result of initialize that make the SDK refuse the
// connection, or nil. It returns nil if there is no result.
func (s *SDK) RefusesConnection(result []byte) []Fault {
	if result == nil {
		return nil
	}
	f := finder{sdk: s}
	for i := range s.handshake {
		r := &s.handshake[i]
		f.member(r, "", result, r.parts)
	}
	return f.faults
}

// finder collects the faults of a tool, or of the result of initialize.
type finder struct {
	sdk    *SDK
	faults []Fault

	refs *schema.References // references in the compiled schema
	seen map[string]bool    // references whose targets were examined
}

// member follows the parts of a path to the value that a requirement is about. A value on the way with the
// wrong type has its own requirement.
func (f *finder) member(r *requirement, path string, value []byte, parts []string) {
	if len(parts) == 0 {
		f.check(r, path, value)
		return
	}
	switch kind := jsonrpc.TypeOf(value); {
	case parts[0] == "*" && kind == "array":
		i := 0
		for element := range jsonrpc.Elements(value) {
			f.member(r, path+"/"+strconv.Itoa(i), element, parts[1:])
			i++
		}
	case kind != "object":
	case parts[0] == "*":
		for name, element := range jsonrpc.Members(value) {
			f.member(r, path+"/"+jsonrpc.EscapePointer(string(name)), element, parts[1:])
		}
	default:
		child, ok := jsonrpc.Member(value, parts[0])
		switch {
		case ok:
			f.member(r, path+"/"+jsonrpc.EscapePointer(parts[0]), child, parts[1:])
		case len(parts) == 1 && !r.takes("missing"):
			f.add(path+"/"+jsonrpc.EscapePointer(parts[0]), "nothing", r.wants(), false)
			f.last(func(fault *Fault) { fault.Missing = true })
		}
	}
}

func (f *finder) check(r *requirement, path string, value []byte) {
	kind := jsonrpc.TypeOf(value)
	switch {
	case r.takes(kind):
	case kind == "string" && slices.Contains(r.Values, text(value)):
	default:
		f.add(path, shown(value), r.wants(), r.takes("missing"))
		f.last(func(fault *Fault) {
			fault.isArray, fault.wantsObject = kind == "array", r.takes("object") && !r.takes("array")
		})
	}
}

// text returns the content of a string token, or "" for other values.
func text(value []byte) string {
	meaning, _ := strings.CutPrefix(string(jsonrpc.TokenOf(value).Meaning()), `"`)
	return meaning
}

// shown returns a value for use in a sentence.
func shown(value []byte) string {
	if kind := jsonrpc.TypeOf(value); kind == "object" || kind == "array" {
		return "an " + kind
	}
	return phrase.Clip(string(value), maxFound)
}

func (f *finder) add(path, found, wants string, optional bool) {
	if len(f.faults) < maxFaults {
		f.faults = append(f.faults, Fault{Path: path, Found: found, Wants: wants, Optional: optional})
	}
}

// last changes the newest fault.
func (f *finder) last(change func(*Fault)) { change(&f.faults[len(f.faults)-1]) }

func (r *requirement) takes(kind string) bool {
	return slices.Contains(r.Kinds, kind)
}

// wants describes the accepted values as a part of a sentence.
func (r *requirement) wants() string {
	var words []string
	for _, v := range r.Values {
		words = append(words, jsonrpc.Quote(v))
	}
	for _, kind := range r.Kinds {
		switch kind {
		case "missing", "null":
		case "array", "object":
			words = append(words, "an "+kind)
		default:
			words = append(words, "a "+kind)
		}
	}
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
