package hosts

import (
	"fmt"
	"slices"
)

// ranks order the scopes: an entry of a higher scope replaces entries of lower scopes.
var ranks = map[Scope]int{
	Plugin: 0, Catalog: 0, Manifest: 0, User: 1, Project: 2, Workspace: 2, Remote: 2, Local: 3, Agent: 4, Managed: 5,
}

// precedence marks the entries that the host uses. files are in the order of their
// precedence within a scope.
func precedence(h *host, m *Machine, files []*file) {
	exclusive := false
	for _, f := range files {
		if f.location.Trust && !m.Trusted(h.ID, m.Project) && len(f.servers) > 0 {
			f.unload("F009", fmt.Sprintf("%s does not read MCP servers from this file, because the project is not trusted. Trust the project in %s, or move the entry to the file of the user.", h.Name, h.Name))
		}
		exclusive = exclusive || h.ID == "claude-code" && f.location.Scope == Managed && len(f.servers) > 0
	}
	byName := map[string][]*Server{}
	for _, f := range files {
		for _, s := range f.servers {
			if exclusive && s.Scope != Managed || !s.Loaded {
				continue
			}
			byName[s.Name] = append(byName[s.Name], s)
		}
	}
	for _, same := range byName {
		slices.SortStableFunc(same, func(a, b *Server) int { return ranks[a.Scope] - ranks[b.Scope] })
		switch {
		case len(same) == 1 || h.SameName == separate || h.SameName == loadsBoth:
			for _, s := range same {
				s.Effective = !s.Fragment
			}
			if h.SameName == loadsBoth {
				for i := 1; i < len(same); i++ {
					same[i].file.duplicate(same[i], same[i-1], h.Name+" loads both")
				}
			}
		case h.SameName == merges:
			merge(same)
		default:
			winner := same[len(same)-1]
			winner.Effective = true
			for _, s := range same[:len(same)-1] {
				s.file.duplicate(s, winner, fmt.Sprintf("%s uses the entry of %s", h.Name, m.short(winner.Source.File)))
			}
		}
	}
}

// unload marks all servers of a file as not read by the host.
func (f *file) unload(id, message string) {
	f.unloaded = true
	f.problems = append(f.problems, Problem{ID: id, Name: slug(id), Severity: Warning, Host: f.host.ID, File: f.path, Line: 1, Column: 1, Message: message})
	for _, s := range f.servers {
		s.Loaded = false
		s.Problems = nil
	}
}

func (f *file) duplicate(s, other *Server, what string) {
	severity := Info
	if !s.Launches(other) {
		severity = Warning
	}
	f.report(s, "F034", severity, s.node, "Also defined in %s:%d. %s.", f.machine.short(other.Source.File), other.Source.Line, what)
}

// merge lays the entries of the higher scopes over the lowest one.
func merge(same []*Server) {
	base := same[0]
	base.Effective = true
	for _, over := range same[1:] {
		f := over.file
		base.Merged = over.Source.File
		if over.Disabled || over.mapped["enabled"] != nil {
			base.Disabled, base.DisabledBy = over.Disabled, over.DisabledBy
		}
		w, x := &base.Written, &base.Expanded
		command, url := w.Command != "", w.URL != ""
		if over.Written.Command != "" && url || over.Written.URL != "" && command {
			f.report(over, "F011", Error, over.node, `The entry is merged with %s:%d; the result has both "command" and "url". Rename one of the entries.`, f.machine.short(base.Source.File), base.Source.Line)
			continue
		}
		overlay(w, &over.Written)
		overlay(x, &over.Expanded)
		if over.Transport != "" {
			base.Transport = over.Transport
			base.Fragment = false
		}
		base.file.report(base, "F034", Info, base.node, "Also defined in %s:%d. %s merges the entries.", f.machine.short(over.Source.File), over.Source.Line, f.host.Name)
	}
	base.Effective = !base.Fragment
}

// overlay replaces the values that are present in another entry.
func overlay(l, over *Launch) {
	for _, pair := range []struct{ to, from *string }{{&l.Command, &over.Command}, {&l.Dir, &over.Dir}, {&l.EnvFile, &over.EnvFile}, {&l.URL, &over.URL}} {
		if *pair.from != "" {
			*pair.to = *pair.from
		}
	}
	if over.Args != nil {
		l.Args = over.Args
	}
	l.Env, l.Headers = overlayFields(l.Env, over.Env), overlayFields(l.Headers, over.Headers)
}

// overlayFields returns fields with the values of another entry for fields with the same names.
func overlayFields(fields, over []Field) []Field {
	out := slices.Clone(fields)
	places := make(map[string]int, len(out)) // first place of each name
	for i, f := range slices.Backward(out) {
		places[f.Name] = i
	}
	for _, f := range over {
		if i, ok := places[f.Name]; ok {
			out[i] = f
		} else {
			places[f.Name] = len(out)
			out = append(out, f)
		}
	}
	return out
}
