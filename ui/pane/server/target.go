package server

import (
	"cmp"
	"errors"
	"path/filepath"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// command adds the command, its directory and its environment.
func (p *Pane) command(d *doc.Doc) {
	pal := d.Pal
	if e := p.target.Entry; e != nil {
		fact(d, "from", pal.Text, failure.EntryText(*e, p.home))
	}
	if !p.target.IsStdio() {
		if url := p.target.ShownURL(); p.reporting || p.st.Phase != session.Failed || !strings.Contains(p.sentence(), url) {
			fact(d, "url", pal.Text, url)
		}
		for _, h := range failure.HeaderLines(p.target) {
			fact(d, "header", pal.Text, h)
		}
		return
	}
	shown, proc := p.target.Shown(p.target.Argv), p.st.Process
	fact(d, "command", pal.Text, failure.CommandLine(shown))
	if p.st.Phase == session.Failed && !p.reporting { // a step has the path, and the server runs in the directory of mcptea
		fact(d, "cwd", pal.Text, p.tilde(p.target.ShownDir()))
	} else {
		if proc.Path != "" && proc.Path != shown[0] {
			fact(d, "path", pal.Text, p.tilde(proc.Path))
		}
		fact(d, "cwd", pal.Text, p.tilde(cmp.Or(proc.Dir, p.target.ShownDir())))
	}
	fact(d, "env", pal.Text, p.environ)
}

// tilde shortens a path below the home directory.
func (p *Pane) tilde(path string) string {
	return phrase.ShortPath(p.home, path)
}

// recordingFacts adds the place of the recording.
func (p *Pane) recordingFacts(d *doc.Doc) {
	switch {
	case errors.As(p.record.err, new(*store.GoneError)): // it is still being written
		fact(d, "recording", d.Pal.Error, p.record.err.Error())
	case p.record.err != nil:
		fact(d, "recording", d.Pal.Error, "stopped: "+p.record.err.Error())
	case p.record.path == "":
		fact(d, "recording", d.Pal.Muted, "off")
	default:
		at, size := p.tilde(p.record.path), "   "+phrase.Size(p.record.size)
		if p.st.Phase == session.Failed && !p.reporting && display.Width(at+size) > d.W-d.Margin {
			at = filepath.Base(at)
			size = paint.If(display.Width(at+size) > d.W-d.Margin, "", size)
		}
		fact(d, "recording", d.Pal.Text, at+size)
	}
	fact(d, "branch of", d.Pal.Text, p.record.branch)
	fact(d, "made by", d.Pal.Text, p.record.tool)
	fact(d, "damaged", d.Pal.Warn, p.record.skipped)
}
