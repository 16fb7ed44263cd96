package target

import (
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/hosts"
)

// ForEntry prepares a copy of a connection for one of many entries: what the flags say about one
// server does not apply, and of --input only the ids that the entry has. missing says which
// values are not known, in a sentence.
func (p *Connection) ForEntry(s *hosts.Server) (missing string, err error) {
	f := &p.Flags
	f.Entry, f.Headers, f.Record = nil, nil, "off"
	all := s.Inputs()
	f.inputs = slices.DeleteFunc(slices.Clone(f.inputs), func(text string) bool {
		id, _, _ := strings.Cut(text, "=")
		return !slices.ContainsFunc(all, func(in hosts.Input) bool { return in.ID == id })
	})
	in, err := p.knownInputs(all)
	if err != nil {
		return "", err
	}
	if len(in.missing) > 0 {
		return "It requires the " + inputNames(in.missing) + ". " + inputHint(in.missing), nil
	}
	if unknown := slices.Concat(s.Unresolved(), p.missing(s)); len(unknown) > 0 {
		return "It refers to " + strings.Join(unknown, ", ") + ", whose value is not known here.", nil
	}
	return "", nil
}

// Entry is the target of an entry. It asks about one of a project; without a terminal and without
// --yes, or if the user declines, agreed is false.
func (p *Connection) Entry(s *hosts.Server) (t client.Target, agreed bool, err error) {
	if s.Usable() {
		if err := p.agreeTo(s, s.ID()); err != nil {
			return t, false, err
		}
	}
	asked := p.Flags.yes
	p.Flags.yes = true
	t, err = p.entryTarget(s, s.ID())
	p.Flags.yes = asked
	return t, true, err
}
