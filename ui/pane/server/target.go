package server

import (
	"strings"

	"mcptea/client/secret"
	"mcptea/session/failure"
	"mcptea/ui/paint"
)

// command writes what was run, where and with what.
func (p *Pane) command(s *sheet) {
	pal := s.pal
	if !p.target.IsStdio() {
		s.fact("url", pal.Text, secret.URL(p.target.URL))
		for _, h := range failure.HeaderLines(p.target.Header) {
			s.fact("header", pal.Text, h)
		}
		return
	}
	s.fact("command", pal.Text, failure.CommandLine(p.target.Argv))
	proc := p.st.Process
	if proc.Path != "" && proc.Path != p.target.Argv[0] {
		s.fact("path", pal.Text, p.tilde(proc.Path))
	}
	if dir := proc.Dir; dir != "" {
		s.fact("cwd", pal.Text, p.tilde(dir))
	} else if p.target.Dir != "" {
		s.fact("cwd", pal.Text, p.tilde(p.target.Dir))
	}
	if p.environ != "" {
		s.fact("env", pal.Text, p.environ)
	}
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
	if p.record.tool != "" {
		s.fact("made by", s.pal.Text, p.record.tool)
	}
	if p.record.skipped != "" {
		s.fact("damaged", s.pal.Warn, p.record.skipped)
	}
}
