package remedy

import (
	"net/url"

	mcphttp "mcptea/client/transport/http"
	"mcptea/session/session"
)

// allowed returns the remedies that may be offered. It leaves out remedies whose setting is already in
// effect, and remedies that weaken the protection of sent data: they are only described. No other function
// makes this decision.
func (r Run) allowed(all []Remedy) []Remedy {
	var kept []Remedy
	for _, m := range all {
		if next, changes := r.after(m); changes && !protectionOf(next.Link).isLess(protectionOf(r.Link)) {
			kept = append(kept, m)
		}
	}
	return kept
}

// after returns the run with a remedy. It returns false if that is impossible or changes nothing. A value that
// the user must still type counts as a change.
func (r Run) after(m Remedy) (next Run, changes bool) {
	var err error
	switch m.Way {
	case At, Agree:
		if m.Flag == urlFlag {
			next, err = r.Elsewhere(m.Value)
		} else {
			next, err = r.With(m.Flag, m.Setting(m.Value))
		}
		return next, err == nil && !r.has(m)
	case Line:
		next, err = r.Parse(m.Value)
		return next, err == nil
	default:
		return r, true
	}
}

// has reports whether the run already has the setting of a remedy.
func (r Run) has(m Remedy) bool {
	t, c := r.Link.Target, r.Link.Client
	switch m.Flag {
	case "protocol":
		return string(c.Revision) == m.Value || m.Value == "auto" && c.Revision == ""
	case "transport":
		return t.Transport == m.Value || m.Value == "auto" && t.Transport == ""
	case urlFlag:
		return t.URL == m.Value
	case lenientFlag:
		return c.Lenient
	case "env":
		for _, kv := range r.Flags() {
			if kv.Name == "env" && kv.Value == m.Setting(m.Value) {
				return true
			}
		}
	}
	return false
}

// protection describes how data sent to a server is protected: from others on the network, and by verifying the
// server.
type protection struct {
	private  bool // TLS, or the data stays on this machine
	verified bool // the certificate of the server is checked
}

// protectionOf returns the protection of the next attempt.
func protectionOf(l session.Link) protection {
	if l.Target.IsStdio() {
		return protection{true, true}
	}
	u, err := url.Parse(l.Target.URL)
	if err != nil {
		return protection{}
	}
	return protection{u.Scheme == "https" || mcphttp.IsLoopback(u.Hostname()), !l.Target.TLS.Insecure}
}

// isLess reports whether p lacks a protection that than has.
func (p protection) isLess(than protection) bool {
	return than.private && !p.private || than.verified && !p.verified
}
