package failure

import (
	"net/url"
	"strings"

	mcphttp "mcptea/client/transport/http"
)

// A Page is a URL that the user should open, with warnings. mcptea neither opens nor fetches any part of it.
type Page struct {
	Raw      string
	Host     string   // host with port, or ""
	Scope    string   // requested scope as in the URL, or ""
	From, To int      // position of the host in Raw
	Warnings []string // one sentence each
}

// PageOf reads a URL.
func PageOf(raw string) Page {
	p := Page{Raw: raw}
	p.From, p.To = hostRange(raw)
	warn := func(text string) { p.Warnings = append(p.Warnings, text) }
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || p.From == p.To {
		warn("It is not a URL with a host: its destination is unknown.")
		return p
	}
	p.Host, p.Scope = u.Host, strings.Join(u.Query()["scope"], " ")
	if !strings.EqualFold(u.Scheme, "https") && !mcphttp.IsLoopback(u.Hostname()) {
		warn("It is not https: others on the network can read and change the data.")
	}
	if u.User != nil {
		warn("The part before the @ is not the host.")
	}
	if host := strings.ToLower(u.Hostname()); strings.HasPrefix(host, "xn--") || strings.Contains(host, ".xn--") {
		warn("The host is in punycode: it may be shown as a name that looks like another one.")
	} else if strings.IndexFunc(host, func(r rune) bool { return r > 0x7e }) >= 0 {
		warn("The host has letters outside ASCII: it may look like another one.")
	}
	return p
}

// hostRange returns the position of the host in a URL, without user and password, or an empty range.
func hostRange(raw string) (from, to int) {
	_, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return 0, 0
	}
	from = len(raw) - len(rest)
	to = len(raw)
	if i := strings.IndexAny(rest, "/?#\\"); i >= 0 {
		to = from + i
	}
	if i := strings.LastIndexByte(raw[from:to], '@'); i >= 0 {
		from += i + 1
	}
	return from, to
}
