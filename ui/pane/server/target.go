package server

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client/transport"
	"mcptea/session/explain"
	"mcptea/ui/paint"
)

// changes is how the environment of the command differs from mcptea's own.
type changes struct {
	added   []string // NAME=value, secrets masked; new or with another value
	removed int
}

// compareEnv finds the differences. An empty environment is that of mcptea.
func compareEnv(own, given []string) (c changes) {
	if len(given) == 0 {
		return c
	}
	values := make(map[string]string, len(own))
	for _, kv := range own {
		name, value, _ := strings.Cut(kv, "=")
		values[name] = value
	}
	last := make(map[string]string, len(given))
	for _, kv := range given {
		name, value, _ := strings.Cut(kv, "=")
		last[name] = value
	}
	for name, value := range last {
		if old, ok := values[name]; !ok || old != value {
			c.added = append(c.added, name+"="+maskValue(name, value))
		}
	}
	for name := range values {
		if _, ok := last[name]; !ok {
			c.removed++
		}
	}
	slices.Sort(c.added)
	return c
}

func maskValue(name, value string) string {
	switch {
	case transport.IsSecretName(name):
		return "••••"
	case strings.Contains(value, "://"):
		return transport.MaskURL(value) // a password may be in it
	}
	return value
}

func (c changes) any() bool { return len(c.added) > 0 || c.removed > 0 }

// command writes what was run, where and with what.
func (p *Pane) command(s *sheet) {
	pal := s.pal
	if !p.target.IsStdio() {
		s.fact("url", pal.Text, transport.MaskURL(p.target.URL))
		for _, h := range headerLines(p.target.Header) {
			s.fact("header", pal.Text, h)
		}
		return
	}
	s.fact("command", pal.Text, explain.CommandLine(p.target.Argv))
	proc := p.st.Process
	if proc.Path != "" && proc.Path != p.target.Argv[0] {
		s.fact("path", pal.Text, p.tilde(proc.Path))
	}
	if dir := proc.Dir; dir != "" {
		s.fact("cwd", pal.Text, p.tilde(dir))
	} else if p.target.Dir != "" {
		s.fact("cwd", pal.Text, p.tilde(p.target.Dir))
	}
	if p.environ.any() {
		text := fmt.Sprintf("+%d -%d", len(p.environ.added), p.environ.removed)
		if len(p.environ.added) > 0 {
			text += "   " + strings.Join(p.environ.added, "   ")
		}
		s.fact("env", pal.Text, text)
	}
}

// headerLines are the headers that the user gave, secrets masked.
func headerLines(h map[string][]string) []string {
	var lines []string
	for name, values := range transport.MaskHeader(h) {
		for _, v := range values {
			lines = append(lines, name+": "+v)
		}
	}
	slices.Sort(lines)
	return lines
}

// tilde shortens a path below the home directory.
func (p *Pane) tilde(path string) string {
	if rest, ok := strings.CutPrefix(path, p.home); ok && p.home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

// recordingFact tells where the record of all this is.
func (p *Pane) recordingFact(s *sheet) {
	switch {
	case p.record.err != nil:
		s.fact("recording", s.pal.Error, "stopped: "+p.record.err.Error())
	case p.record.path == "":
		s.fact("recording", s.pal.Muted, "off")
	default:
		s.fact("recording", s.pal.Text, p.tilde(p.record.path)+"   "+paint.HumanSize(p.record.size))
	}
}
