package link

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/lint/rules"
	"mcptea/record"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// WarnOfViolations makes [Link.CloseSession] print warnings about what strict clients do not accept, although the command
// succeeded: the output of the server is complete only when the connection is closed.
func (p *Link) WarnOfViolations() { p.warnViolations = true }

// WarnUnlessFound makes [Link.CloseSession] print a warning if it has checked the record and has no warning about a rule of
// the protocol.
func (p *Link) WarnUnlessFound(text string) { p.unlessFound = text }

// printViolations prints the warnings of [Link.WarnOfViolations].
func (p *Link) printViolations(s *session.Session) {
	p.printRedirect(s)
	p.printAnsweredNotification(s)
	p.printFindings(s)
	p.printStrayText(s)
}

// printRedirect prints a warning if messages are redirected to another URL: many clients do not follow redirects of POST.
func (p *Link) printRedirect(s *session.Session) {
	for _, x := range s.Store().ExchangesSince(s.State().Started) {
		to := x.ResponseHeader.Get("Location")
		if x.Method != http.MethodPost || x.Status/100 != 3 || to == "" {
			continue
		}
		if from, err := url.Parse(x.URL); err == nil {
			if target, err := from.Parse(to); err == nil {
				to = target.String()
			}
		}
		p.Warning(fmt.Sprintf("the server redirects POST %s to %s (%d): clients that follow no redirect of POST fail; use that URL", x.URL, secret.URL(to), x.Status))
		return
	}
}

const (
	// maxLinted bounds the record that is checked at the end of a command, in bytes.
	maxLinted = 4 << 20
	// maxPrinted is the maximum number of rules whose findings are printed.
	maxPrinted = 3
)

// ownWarnings holds the rules whose findings have a warning of their own.
var ownWarnings = []string{"J033", "K001", "S010", "S011", "S012"}

// A violation holds the findings of a rule about the server.
type violation struct {
	rule      string
	text, fix string // of the first finding
	count     int
}

// violationsOf returns the errors about the server that the rules find in the record of a session, without the rules that only
// assume something. The error is the reason why the record was not checked, or not to its end.
func violationsOf(s *session.Session) (all []violation, err error) {
	st := s.Store()
	if st.Size() > maxLinted {
		return nil, fmt.Errorf("the session has more than %s", phrase.Size(maxLinted))
	}
	found := func(f lint.Finding) {
		if f.Severity != lint.Error || f.Fault != lint.Server || f.Unjudged || slices.Contains(ownWarnings, f.Rule.ID) {
			return
		}
		if i := slices.IndexFunc(all, func(v violation) bool { return v.rule == f.Rule.ID }); i >= 0 {
			all[i].count++
			return
		}
		all = append(all, violation{f.Rule.ID, f.Message, f.Hint, 1})
	}
	engine := rules.New(lint.OfSelf(found), lint.Redact(s.Redact), lint.NoHeuristics())
	tail := st.NewTail()
	for {
		e, row, ok, err := tail.Next()
		if err != nil || !ok {
			return all, err
		}
		if e.Kind == record.KindFrame {
			e.Frame.Envelope = jsonrpc.Scan(e.Frame.Bytes)
		}
		engine.Event(&e, row)
	}
}

// printFindings prints a line for each rule of the protocol that the server breaks in an exchange that succeeded, or why
// the exchange was not checked.
func (p *Link) printFindings(s *session.Session) {
	all, err := violationsOf(s)
	if err != nil {
		p.Note(fmt.Sprintf("not all messages of the server were linted: %s; mcptea lint checks a whole recording (--record FILE)", err.Error()))
	}
	if len(all) == 0 && err == nil && p.unlessFound != "" {
		p.Warning(p.unlessFound)
	}
	for _, v := range all[:min(len(all), maxPrinted)] {
		more := ""
		if v.count > 1 {
			more = fmt.Sprintf(", and %d more", v.count-1)
		}
		p.Warning(fmt.Sprintf("%s (%s%s) %s", v.text, v.rule, more, v.fix))
	}
	if n := len(all) - maxPrinted; n > 0 {
		p.Warning(fmt.Sprintf("the server breaks %s more; mcptea lint shows them in a recording (--record FILE)", phrase.Count(n, "rule")))
	}
}

// printAnsweredNotification prints a warning if the server has sent a response to a notification.
func (p *Link) printAnsweredNotification(s *session.Session) {
	if method, refusal, ok := failure.AnsweredNotification(s); ok {
		p.Warning(fmt.Sprintf("the server answered the notification %s with %s; a notification gets status 202 and no body, and strict clients disconnect", method, refusal))
	}
}

// printStrayText prints a warning if the server has sent data that is not a message.
func (p *Link) printStrayText(s *session.Session) {
	stray := failure.FactsOf(s).Stray
	if len(stray) == 0 {
		return
	}
	what, label := "the server writes text to stdout, which is reserved for protocol messages; many clients disconnect", "stdout"
	if !s.Target().IsStdio() {
		what, label = "the server sends bodies that are not MCP messages; clients that read them may fail", "body"
	}
	p.Warning(what + ":")
	for _, text := range stray {
		p.Err.Row(label, display.Cut(display.Sanitize(text), 200))
	}
	if why := failure.OfStray(stray); s.Target().IsStdio() && why.Strength > failure.Hints {
		p.Err.Row("cause", why.Cause)
		p.Err.Row("try", why.Remedy.Text)
	}
}
