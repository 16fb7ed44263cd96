package remedy

import (
	"net/url"

	mcphttp "mcptea/client/transport/http"
	"mcptea/session/session"
)

// allowed returns the remedies of a run that may be offered: none whose setting there is already, and none
// that lowers the protection of what is sent. The others are only told. It is the one place that
// decides that.
func (r Run) allowed(all []Remedy) []Remedy {
	var kept []Remedy
	for _, m := range all {
		if next, changes := r.after(m); changes && !protectionOf(next.Link).isLess(protectionOf(r.Link)) {
			kept = append(kept, m)
		}
	}
	return kept
}

// after is the run with a remedy; false if that cannot be done, or sets what is set already. What the user
// is still to type may be anything.
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

// has reports whether the setting of a remedy is that of the run already.
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

// protection is how far what is sent to a server is protected: from others on the network, and by the
// check that it is this server.
type protection struct {
	private  bool // TLS, or what does not leave this machine
	verified bool // the certificate of the server is checked
}

// protectionOf is that of the next attempt.
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

// isLess reports whether something that another one protects is not protected.
func (p protection) isLess(than protection) bool {
	return than.private && !p.private || than.verified && !p.verified
}
