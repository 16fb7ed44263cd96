package remedy

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"mcptea/client/hosts"
	"mcptea/client/secret"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// Unsaved returns in words which settings of the run the configuration file does not have, or "". given is the link that
// the file led to. Unsaved reads the file.
func (r Run) Unsaved(given session.Link, home string) string {
	entry := given.Target.Entry
	dir, err := os.Getwd()
	if entry == nil || err != nil {
		return ""
	}
	m, err := hosts.LocalMachine(dir)
	if err != nil {
		return ""
	}
	servers := hosts.ReadFile(m, entry.File).Servers
	i := slices.IndexFunc(servers, func(s *hosts.Server) bool { return s.Source.Pointer == entry.Pointer })
	if i < 0 {
		return ""
	}
	now := *entry
	now.Line = servers[i].Source.Line
	all := r.unsavedTarget(given, servers[i])
	for _, f := range r.changes {
		if text := unsavedField(f.Name, f.Value, servers[i]); text != "" {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return failure.EntryPlace(now, home) + " " + strings.Join(all[:min(len(all), maxUnsaved)], ", ")
}

// maxUnsaved bounds the settings that are named.
const maxUnsaved = 3

// unsavedTarget names the URL, or the words of the command, that an entry still has or lacks.
func (r Run) unsavedTarget(given session.Link, s *hosts.Server) (all []string) {
	before, now := given.Target, r.Link.Target
	if now.URL != before.URL && s.Expanded.URL == before.URL && before.URL != "" {
		if s.Written.URL == before.URL {
			all = append(all, fmt.Sprintf("still has %q", before.ShownURL()))
		} else { // the URL contains references to variables
			all = append(all, fmt.Sprintf("still leads to %q", before.ShownURL()))
		}
	}
	if slices.Equal(before.Argv, now.Argv) || s.Expanded.Command == "" {
		return all
	}
	read, shown, written := s.Expanded.Argv(), s.Written.Redacted(), secret.Args(now.Argv)
	for i, word := range read {
		if slices.Contains(before.Argv, word) && !slices.Contains(now.Argv, word) {
			all = append(all, fmt.Sprintf("still has %q", shown.Argv()[i]))
		}
	}
	if len(all) > 0 {
		return all
	}
	for i, word := range now.Argv {
		if !slices.Contains(before.Argv, word) && !slices.Contains(read, word) {
			all = append(all, fmt.Sprintf("does not have %q", written[i]))
		}
	}
	return all
}

// unsavedField returns the name, without the value, of a variable or a header that an entry does not set or
// sets to a different value.
func unsavedField(flag, text string, s *hosts.Server) string {
	var fields []hosts.Field
	var name, value string
	same := func(a, b string) bool { return a == b }
	switch flag {
	case "env":
		fields = s.Expanded.Env
		name, value, _ = strings.Cut(text, "=")
	case "header":
		fields, same = s.Expanded.Headers, strings.EqualFold
		name, value, _ = strings.Cut(text, ":")
		name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
	default:
		return ""
	}
	switch i := slices.IndexFunc(fields, func(f hosts.Field) bool { return same(f.Name, name) }); {
	case i < 0:
		return "does not set " + name
	case fields[i].Value != value:
		return "still has another value of " + name
	}
	return ""
}
