package target

import (
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/hosts"
)

// ForEntry returns a target for one of many entries, with separate settings: flags and environment variables
// about a single server do not apply, and of --input only the ids that the entry has. missing is a sentence
// that names unknown values, or "".
func (p *Target) ForEntry(s *hosts.Server) (here *Target, missing string, err error) {
	here = New(p.With(p.Flags.Elsewhere()))
	f := &here.Flags
	f.Record = "off"
	all := s.Inputs()
	f.Inputs = slices.DeleteFunc(slices.Clone(f.Inputs), func(text string) bool {
		id, _, _ := strings.Cut(text, "=")
		return !slices.ContainsFunc(all, func(in hosts.Input) bool { return in.ID == id })
	})
	in, err := here.knownInputs(all)
	if err != nil {
		return here, "", err
	}
	if len(in.missing) > 0 {
		return here, "It requires the " + inputNames(in.missing) + ". " + inputHint(in.missing), nil
	}
	if why := s.WhyUnknown(here.missing(s)...); why != "" {
		return here, "It " + why + ".", nil
	}
	return here, "", nil
}

// Entry returns the target of an entry. It asks about an entry of a project; without a terminal and without
// --yes, or if the user declines, agreed is false.
func (p *Target) Entry(s *hosts.Server) (t client.Target, agreed bool, err error) {
	if s.Usable() {
		if err := p.agreeTo(s, s.ID()); err != nil {
			return t, false, err
		}
	}
	asked := p.Flags.Yes
	p.Flags.Yes = true
	t, err = p.entryTarget(s, s.ID())
	p.Flags.Yes = asked
	return t, true, err
}
