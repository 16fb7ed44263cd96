package inspector

import (
	"strings"

	"mcptea/client/hosts"
	"mcptea/session/explain/remedy"
)

// keep returns a function that writes variables into the entry of the session, or nil if no file has the entry.
func (p *Inspector) keep() func(vars []string) (remedy.Keeping, error) {
	s := p.Flags.Entry
	if s == nil || s.Pasted || s.Source.File == "" {
		return nil
	}
	return func(vars []string) (k remedy.Keeping, err error) {
		var fields []hosts.Field
		for _, v := range vars {
			name, value, _ := strings.Cut(v, "=")
			fields = append(fields, hosts.Field{Name: name, Value: value})
		}
		e, err := s.SetVariables(fields)
		if err != nil {
			return k, err
		}
		k = remedy.Keeping{File: e.File, Entry: s.ID(), Diff: strings.Split(strings.TrimSuffix(e.Diff(), "\n"), "\n")}
		if e.IsTracked() {
			k.Notes = append(k.Notes, "The file is under version control: others get the values.")
		}
		k.Write = func() error {
			if err := (hosts.Journal{}).Apply(e); err != nil {
				return err
			}
			s = e.Edited()
			return nil
		}
		return k, nil
	}
}
