package schemas

import (
	"net/url"
	"strings"

	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/session/lint/rule"
)

// urlMembers checks elicitations in url mode.
func urlMembers(c *rule.Context, a rule.ServerRequest) {
	u, err := url.Parse(rule.Text(a.Params, "url"))
	switch id := rule.Member(a.Params, "elicitationId"); {
	case !rule.Has(a.Params, "url"):
		c.Report(a.At, "reason", "url is missing")
	case err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "":
		c.Report(rule.Below(a.At, "/url"), "reason", "url is not an absolute URL")
	case c.M.Revision == revision.R20251125 && rule.Kind(id) != "string":
		c.Report(a.At, "reason", "elicitationId is missing")
	case c.M.Revision == revision.R20260728 && id != nil:
		c.Report(rule.Below(a.At, "/elicitationId"), "reason", "elicitationId is not part of it since 2026-07-28")
	}
}

func urlRisks(c *rule.Context, a rule.ServerRequest) {
	if reason := risk(rule.Text(a.Params, "url")); reason != "" {
		c.Report(rule.Below(a.At, "/url"), "reason", reason)
	}
}

// risk says why a URL needs a check. It does not quote its values.
func risk(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return ""
	}
	var reasons []string
	host := strings.ToLower(u.Hostname())
	if u.Scheme != "https" && !rule.IsLoopback(host) {
		reasons = append(reasons, "it is "+rule.Escaped(u.Scheme)+" and not https")
	}
	if u.User != nil {
		reasons = append(reasons, "it holds a user name before the host")
	}
	if strings.HasPrefix(host, "xn--") || strings.Contains(host, ".xn--") {
		reasons = append(reasons, "its host is written in Punycode")
	}
	for key := range u.Query() {
		if secret.IsField(key) || strings.EqualFold(key, "key") {
			reasons = append(reasons, "it seems to hold a credential")
			break
		}
	}
	return strings.Join(reasons, ", ")
}
