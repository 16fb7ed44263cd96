package inbox

import (
	"net/url"
	"strings"
)

// pageFacts show a URL whole, its host standing out, and what is to be known
// before it is opened. Nothing is opened or fetched.
func pageFacts(raw string) (facts []fact) {
	from, to := hostOf(raw)
	facts = []fact{{label: "url", text: raw, from: from, to: to}}
	defer func() { facts = append(facts, fact{text: "Nothing is opened from here.", tone: quiet}) }()
	warn := func(text string) { facts = append(facts, fact{text: text, tone: doubtful}) }
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || from == to {
		warn("Where this leads cannot be told: it is no URL with a host.")
		return facts
	}
	facts = append(facts, fact{label: "host", text: u.Host, tone: strong})
	if !strings.EqualFold(u.Scheme, "https") {
		warn("It is not https: others on the way can read and change what you do there.")
	}
	if u.User != nil {
		warn("What stands before the @ is not the host.")
	}
	if host := strings.ToLower(u.Hostname()); strings.HasPrefix(host, "xn--") || strings.Contains(host, ".xn--") {
		warn("The host is in punycode: it may be shown as a name that looks like another one.")
	} else if strings.IndexFunc(host, func(r rune) bool { return r > 0x7e }) >= 0 {
		warn("The host has letters outside ASCII: it may look like another one.")
	}
	return facts
}

// hostOf is where the host stands in a URL; an empty range when there is none.
func hostOf(raw string) (from, to int) {
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
