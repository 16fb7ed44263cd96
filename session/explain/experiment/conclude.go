package experiment

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/facts"
	"mcptea/session/explain/failure"
)

// shows sets a row of failures.jsonl as the conclusion.
func (r *runner) shows(id string, holes map[string]string, decides bool) {
	for name, value := range holes {
		holes[name] = r.s.Redact(value)
	}
	r.report.Conclusion, r.report.Decides = failure.Shown(id, holes), decides
}

func (r *runner) same(id string) bool {
	o, ok := r.found[id]
	return ok && !o.works && o.key() == r.c.control.key()
}

// substituted maps a trial that may work to a function that returns the holes of its conclusion.
var substituted = map[string]func(situation) map[string]string{
	"headers": func(c situation) map[string]string {
		return map[string]string{"own": strings.Join(c.userHeaders, ", ")}
	},
	"accept-order": nil, "accept-json": nil, "charset": nil, "slash": nil, "agent": nil,
	"handshake": func(c situation) map[string]string {
		return map[string]string{"method": c.method(), "version": string(revision.NewestHandshake)}
	},
	"older": func(situation) map[string]string { return map[string]string{"version": string(olderVersion)} },
	"prefix": func(c situation) map[string]string {
		return map[string]string{"endpoint": phrase.Quote(c.failed.URL.Path, 80), "prefix": c.prefix()}
	},
}

// conclude sets the conclusion that follows from the outcomes.
func (r *runner) conclude() {
	c := r.c
	was := map[string]string{"was": c.control.statusText()}
	switch {
	case c.control.reason == refused || c.control.reason == ended:
		r.shows("gone", map[string]string{"was": transport.StatusText(c.first), "now": c.control.reason}, true)
		return
	case c.control.works:
		r.shows("again", map[string]string{"was": transport.StatusText(c.first)}, true)
		return
	case r.found["control"].works:
		r.shows("flaky", was, true)
		return
	case r.same("named"): // checked before a substitution, which may work for another reason
		r.shows("header-lost", map[string]string{"header": c.named()}, true)
		return
	}
	if without, ok := r.found["headers"]; ok && c.control.status == http.StatusForbidden && without.status == http.StatusUnauthorized {
		r.shows("rights", map[string]string{"was": was["was"], "own": strings.Join(c.userHeaders, ", ")}, true)
		return
	}
	for _, t := range trials {
		if t.kind == substitution && r.found[t.id].works {
			holes := was
			if more := substituted[t.id]; more != nil {
				holes = more(c)
				holes["was"] = was["was"]
			}
			r.shows(t.id, holes, true)
			return
		}
	}
	r.concludeWhere()
}

// concludeWhere concludes from equal responses which program sent them.
func (r *runner) concludeWhere() {
	c := r.c
	message := jsonrpc.Scan(c.control.body)
	front := r.same("elsewhere") && !c.before && !message.IsError() // only an MCP server sends such an error
	holes := map[string]string{"was": c.control.statusText(), "path": phrase.Quote(cmp.Or(c.failed.URL.Path, "/"), 80), "who": programName(c.control.header), "bytes": fmt.Sprint(len(c.failed.Body)), "words": phrase.Quote(c.control.text(), 120)}
	switch {
	case front && c.sse && c.status(404, 405): // the server has named the path
	case front && c.status(404) && facts.Intermediary(c.control.header) != "" && c.control.text() == "":
		r.shows("path-front", holes, false)
	case front && c.status(404):
		r.shows("path", holes, false)
	case front && c.status(502, 504, 521, 522, 523, 530):
		r.shows("upstream", holes, true)
	case front && c.status(429):
	case front && c.control.status/100 == 2:
		r.shows("everything", holes, false)
	case front && c.control.status/100 == 5:
		r.shows("fails", holes, false)
	case front && c.control.text() != "":
		r.shows("host", holes, false)
	case front:
		r.shows("front", holes, facts.Intermediary(c.control.header) != "" || c.status(400, 403, 405, 406, 415))
	case r.same("empty") && !c.before && c.control.isAboutBody():
		if facts.SaysEmpty(c.control.body) {
			r.shows("body-lost", holes, true)
			return
		}
		r.shows("body-unseen", holes, false)
	case r.same("empty") && !c.before && !c.status(404, 405, 410): // their cause is the path
		r.shows("before-body", holes, false)
	}
}

// programName returns the name of the program that responded, for the start of a sentence.
func programName(h http.Header) string {
	if name := facts.Intermediary(h); name != "" {
		return phrase.Capital(name)
	}
	if via := h.Get("Via"); via != "" {
		return "The proxy " + phrase.Quote(via, 60)
	}
	return "A proxy or the host"
}
