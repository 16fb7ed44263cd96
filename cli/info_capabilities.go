package cli

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/ui/paint"
)

// offer is a declared capability.
type offer struct {
	name    string // untrusted
	means   string // empty for a capability that no revision defines
	members []string
	// undefined are the paths that the revision in force does not define: the
	// capability itself, or members of it.
	undefined []string
}

// offersOf returns the declared capabilities, those that a revision defines first.
func offersOf(who revision.Sender, caps []byte, r revision.Revision) []offer {
	known := revision.Capabilities(who)
	var offers []offer
	for _, c := range known {
		if value, ok := jsonrpc.Member(caps, c.Name); ok {
			offers = append(offers, offerOf(c, value, r))
		}
	}
	for name, value := range jsonrpc.Members(caps) {
		if !slices.ContainsFunc(known, func(c revision.Capability) bool { return c.Name == string(name) }) {
			o := offer{name: string(name), undefined: []string{string(name)}}
			for member := range jsonrpc.Members(value) {
				o.members = append(o.members, string(member))
			}
			offers = append(offers, o)
		}
	}
	return offers
}

func offerOf(c revision.Capability, value []byte, r revision.Revision) offer {
	o := offer{name: c.Name, means: c.Summary}
	if !c.In(r) {
		o.undefined = append(o.undefined, c.Name)
	}
	flags := c.Flags(r)
	for _, f := range flags {
		path := strings.Split(f, ".")
		if v, ok := jsonrpc.Member(value, path[0], path[1:]...); ok && string(v) != "false" && string(v) != "null" {
			o.members = append(o.members, f)
		}
	}
	for name := range jsonrpc.Members(value) {
		if slices.ContainsFunc(flags, func(f string) bool { return strings.Split(f, ".")[0] == string(name) }) {
			continue
		}
		o.members = append(o.members, string(name))
		if !c.Open && c.In(r) {
			o.undefined = append(o.undefined, c.Name+"."+string(name))
		}
	}
	return o
}

// printCapabilities prints the capabilities of one side, and marks what the revision
// does not define.
func (p *program) printCapabilities(head string, who revision.Sender, caps []byte, r revision.Revision) error {
	if err := p.out.line("\n" + p.out.strong(head)); err != nil {
		return err
	}
	offers := offersOf(who, caps, r)
	if len(offers) == 0 {
		return p.out.line("  none")
	}
	for _, o := range offers {
		line := "  " + p.out.name(fmt.Sprintf("%-13s", paint.Sanitize(o.name))) + fmt.Sprintf(" %-24s ", o.means)
		line += paint.Sanitize(strings.Join(o.members, ", "))
		if len(o.undefined) > 0 {
			line = strings.TrimRight(line, " ") + "  " + p.out.warn("! not in "+string(r)+": "+paint.Sanitize(strings.Join(o.undefined, ", ")))
		}
		if err := p.out.line(strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}
