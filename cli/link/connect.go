package link

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
	"mcptea/session/explain/remedy"
	"mcptea/session/session"
)

// Prepare opens a session, recorded only with --record. The caller calls
// [Link.CloseSession].
func (p *Link) Prepare(t client.Target, lists ...client.ListKind) (*session.Session, error) {
	if !p.Err.Terminal {
		return p.PrepareWith(t, nil, lists...)
	}
	return p.PrepareWith(t, p.Browse, lists...)
}

// PrepareOnly is like [Link.Prepare], for a command that fetches only the lists that the impersonated client
// fetches.
func (p *Link) PrepareOnly(t client.Target, lists ...client.ListKind) (*session.Session, error) {
	p.onlyBegin = true
	return p.Prepare(t, lists...)
}

// PrepareWith is like [Link.Prepare], but with a function that shows the consent page, or nil if nothing can.
func (p *Link) PrepareWith(t client.Target, browse func(context.Context, oauth.Consent) error, lists ...client.ListKind) (*session.Session, error) {
	cfg, err := p.Config(t, "off", lists...)
	if err != nil {
		return nil, err
	}
	cfg.OnlyBegin = p.onlyBegin
	cfg.Tool += " command line" // the source, in the list of recordings
	if cfg.Policies, err = p.Policies(false); err != nil {
		return nil, err
	}
	if cfg.Authorization != nil {
		cfg.Authorization.OpenBrowser = browse
	}
	s, err := session.Open(cfg)
	if err != nil {
		hint := "Use another file, or omit --record."
		if system.IsErrno(err, syscall.EMFILE) {
			hint = "The limit of open files is reached; raise it, for example with ulimit -n 1024."
		}
		return nil, app.Usage(hint, "cannot record the session: %v", err)
	}
	p.Track(s)
	return s, nil
}

// Connect opens a session, recorded only with --record, and connects. It prints why
// connecting failed. The caller calls [Link.CloseSession].
func (p *Link) Connect(t client.Target, lists ...client.ListKind) (*session.Session, error) {
	s, err := p.Prepare(t, lists...)
	if err != nil {
		return nil, err
	}
	if err := p.ConnectSession(s); err != nil {
		p.CloseSession(s)
		return nil, err
	}
	if h := s.State().Handshake; h.Unknown != "" {
		p.Warning(fmt.Sprintf("the server selected the unknown protocol version %q; continuing as %s", h.Unknown, h.Revision))
	}
	return s, nil
}

// ConnectSession connects an open session. It prints why that failed.
func (p *Link) ConnectSession(s *session.Session) error {
	err := s.Connect(p.Ctx)
	if err == nil {
		return nil
	}
	if cause := context.Cause(p.Ctx); cause != nil {
		return cause
	}
	return p.Failure(s, err, app.ExitConnect)
}

// Track registers a session, so that a forced exit closes its recording.
func (p *Link) Track(s *session.Session) {
	p.AtExit.Add(func() { _ = s.Store().Close() })
}

// CloseSession closes a session and prints errors of its recording. After a signal
// the grace period of the server is shorter; a second signal ends it.
func (p *Link) CloseSession(s *session.Session) { p.CloseAfter(s, nil) }

// CloseAfter is like [Link.CloseSession], for a session that a screen may show until the channel is closed.
func (p *Link) CloseAfter(s *session.Session, screen <-chan struct{}) {
	defer p.PrintWarnings()
	ctx, stop := context.WithTimeout(p.ForceCtx, app.ShutdownTimeout)
	defer stop()
	defer context.AfterFunc(p.Ctx, func() {
		p.Watchdog.Extend(app.InterruptedLimit)
		time.AfterFunc(app.InterruptedTimeout, stop)
	})()
	warnings := p.EndWebhooks(ctx, s, screen)
	s.Disconnect(ctx)
	for _, text := range warnings {
		p.Warning(text)
	}
	if p.warnViolations {
		p.printViolations(s)
	}
	err := s.Close(ctx)
	notes := s.Notes()
	if rec, recorded := s.Recording(); recorded {
		notes = notesOf(rec.Path, notes)
	}
	for _, text := range notes {
		p.Note(text)
	}
	p.IncompleteRecording(err)
}

// maxRecordedNote bounds the printed part of a recording's note, in bytes.
const maxRecordedNote = 300

// notesOf returns the notes of a recording to print: each on one line, cut, and named as the recording's, because
// another program may have written it.
func notesOf(path string, notes []string) []string {
	out := make([]string, len(notes))
	for i, text := range notes {
		if len(text) > maxRecordedNote {
			text = fmt.Sprintf("%s (%s)", phrase.Clip(text, maxRecordedNote), phrase.Size(int64(len(text))))
		}
		out[i] = fmt.Sprintf("%s has this note: %s", display.Sanitize(filepath.Base(path)), display.Sanitize(text))
	}
	return out
}

// Failure prints the explanation of an error of a session, and returns the error with
// the exit code.
func (p *Link) Failure(s *session.Session, err error, code int) error {
	why := failure.Explain(err, failure.FactsOf(s))
	if isUnauthorized(err) && !why.OtherThanLogin() {
		code = app.ExitAuth
	}
	return p.Explained(err, why, code)
}

// FailedStep returns the step at which connecting failed; empty for other errors.
func FailedStep(err error) string {
	var connect *client.ConnectError
	if errors.As(err, &connect) {
		return connect.Step
	}
	return ""
}

// Explained prints the explanation of an error, and returns the error with the exit code.
func (p *Link) Explained(err error, e failure.Explanation, code int) error {
	p.Err.Prose(p.Err.Bad("mcptea:") + " " + p.Err.Safe(e.Sentence))
	last := ""
	for _, l := range e.Lines() {
		label := string(l.Kind)
		if label == last {
			label = ""
		}
		last = string(l.Kind)
		p.Err.Row(fmt.Sprintf("%-9s", label), l.Text)
	}
	doc := p.Document(err, e)
	for _, r := range doc.Remedies {
		if word, _, _ := strings.Cut(r.Flag, "…"); word != "" && !strings.Contains(e.Try(), word) {
			p.Err.Row(fmt.Sprintf("%-9s", "flag"), r.Flag)
		}
	}
	return &app.Error{Code: code, Document: doc}
}

// Document returns the explanation of an error in JSON, without its code.
func (p *Link) Document(err error, e failure.Explanation) *app.ErrorDocument {
	return &app.ErrorDocument{Step: FailedStep(err), Message: e.Sentence, Cause: e.Cause(), Try: e.Try(), Strength: e.Strength(), Remedies: p.remedies(err, e), Entry: e.Target.Entry}
}

// remedies returns the remedies of an explanation, with the flags that correspond to keys of the inspector.
func (p *Link) remedies(err error, e failure.Explanation) []app.RemedyDocument {
	of := session.Link{Target: e.Target, Client: client.Config{Timeout: p.Flags.Timeout, ConnectTimeout: p.Flags.ConnectTimeout, Lenient: p.Flags.Lenient}}
	if r := revision.Revision(p.Flags.Protocol); r.Known() {
		of.Client.Revision = r
	}
	if e.Target.Header.Get("Authorization") == "" {
		of.Authorization = &oauth.Config{}
	}
	var all []app.RemedyDocument
	for _, r := range remedy.Of(e, remedy.NewRun(of, p.TargetFlags), err) {
		all = append(all, app.RemedyDocument{ID: r.ID, Text: r.Text, Flag: e.Target.Redact(r.FlagText())})
	}
	return all
}
