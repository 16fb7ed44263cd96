package revision

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// Offer is a capability that one side declared or could have declared.
type Offer struct {
	Capability            // the name may be untrusted
	Value          []byte // value, or nil if it was not declared
	Known, Defined bool   // defined by any revision, by the current one
	Members        []Flag
}

// Flag is a member of a capability.
type Flag struct {
	Name  string // path with dots; untrusted unless Known
	Value []byte
	Set   bool // declared, and neither false nor null
	Known bool // the specification defines it
}

// Offers reads the capabilities of one side. First are those of the specification, including
// undeclared ones of the current protocol version, then the others.
func Offers(of Sender, caps []byte, r Revision) []Offer {
	known := Capabilities(of)
	var offers []Offer
	for _, c := range known {
		value, declared := jsonrpc.Member(caps, c.Name)
		if o := (Offer{Capability: c, Value: value, Known: true, Defined: c.In(r)}); declared || o.Defined && !c.Open {
			o.read(c.Flags(r))
			offers = append(offers, o)
		}
	}
	for name, value := range jsonrpc.Members(caps) {
		if !slices.ContainsFunc(known, func(c Capability) bool { return c.Name == string(name) }) {
			o := Offer{Capability: Capability{Name: string(name)}, Value: value}
			var flags []string
			if o.Name == EventsCapability && of == Server && (r.IsStateless() || !r.Known()) { // drafts declare the capability, in addition to the extension or instead of it
				o.Known, o.Defined, flags = true, true, []string{"listChanged"}
				o.Summary = "events, where the drafts of SEP-3415 have them, and ChatGPT reads them; SEP-3415 has " + EventsExtension + " in extensions"
			}
			o.read(flags)
			offers = append(offers, o)
		}
	}
	return offers
}

// read reads the members, those of the specification first.
func (o *Offer) read(flags []string) {
	for _, f := range flags {
		path := strings.Split(f, ".")
		v, ok := jsonrpc.Member(o.Value, path[0], path[1:]...)
		o.Members = append(o.Members, Flag{f, v, ok && string(v) != "false" && string(v) != "null", true})
	}
	for name, v := range jsonrpc.Members(o.Value) {
		if !slices.ContainsFunc(flags, func(f string) bool { return strings.Split(f, ".")[0] == string(name) }) {
			o.Members = append(o.Members, Flag{string(name), v, true, false})
		}
	}
}

// Undefined returns the paths that the current revision does not define: the capability itself,
// or members of it.
func (o *Offer) Undefined() (paths []string) {
	if !o.Defined {
		return []string{o.Name}
	}
	for _, f := range o.Members {
		if !f.Known && !o.Open {
			paths = append(paths, o.Name+"."+f.Name)
		}
	}
	return paths
}
