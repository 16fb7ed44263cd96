package facts

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
)

// Between holds the intermediaries that a response names.
type Between struct {
	Name  string // such as Cloudflare
	Bot   string // sign that a bot protection responded
	Proxy bool
	Idle  string // pause before the end of a stream whose response had status 200
}

// intermediaries maps headers to the programs that add them and may respond instead of a server.
var intermediaries = []struct{ header, value, name string }{
	{"Cf-Ray", "", "Cloudflare"},
	{"Server", "cloudflare", "Cloudflare"},
	{"X-Vercel-Id", "", "Vercel"},
	{"Server", "vercel", "Vercel"},
	{"Server", "akamaighost", "Akamai"},
	{"X-Akamai-Request-Id", "", "Akamai"},
	{"X-Amz-Cf-Id", "", "CloudFront"},
	{"Server", "cloudfront", "CloudFront"},
	{"Server", "awselb", "the AWS load balancer"},
	{"X-Amzn-Waf-Action", "", "AWS WAF"},
	{"X-Amz-Apigw-Id", "", "AWS API Gateway"},
	{"Apigw-Requestid", "", "AWS API Gateway"},
	{"X-Azure-Ref", "", "Azure Front Door"},
	{"Fly-Request-Id", "", "Fly.io"},
	{"X-Railway-Request-Id", "", "Railway"},
	{"X-Render-Origin-Server", "", "Render"},
	{"X-Served-By", "cache-", "Fastly"},
	{"X-Sucuri-Id", "", "Sucuri"},
	{"X-Iinfo", "", "Imperva"},
	{"X-Kong-Request-Id", "", "Kong"},
	{"Server", "nginx", "nginx"},
	{"Server", "openresty", "OpenResty"},
	{"Server", "caddy", "Caddy"},
	{"Server", "traefik", "Traefik"},
	{"Server", "envoy", "Envoy"},
	{"Server", "istio-envoy", "Envoy"},
	{"Server", "haproxy", "HAProxy"},
}

// contentNetworks holds the intermediaries that have a bot protection.
var contentNetworks = map[string]bool{"Cloudflare": true, "Vercel": true, "Akamai": true, "CloudFront": true, "AWS WAF": true, "Azure Front Door": true, "Fastly": true, "Sucuri": true, "Imperva": true}

var (
	// mitigation matches names of headers that only a bot protection adds to its response.
	mitigation = regexp.MustCompile(`(?i)mitigat|\bwaf\b|captcha|bot-?(?:protect|manage)|datadome|perimeterx|^x-px-|sucuri-block`)
	// botPage matches the titles of pages with which bot protections reject a client.
	botPage = lazyregexp.New(`(?i)<title>[^<]*(?:just a moment|attention required|security check|verify you are human|are you a robot|access denied|request (?:rejected|blocked)|the request could not be satisfied)`)
	// botCode matches the body of a refusal by a firewall rule of Cloudflare.
	botCode   = lazyregexp.New(`^error code: 10\d\d\b`)
	proxyName = lazyregexp.New(`(?i)^(?:nginx|openresty|envoy|istio-envoy|caddy|traefik|haproxy|apache|varnish|cloudflare|kong|awselb|cowboy|litespeed|squid|gws|tengine)\b`)
)

// Intermediary returns the name of the intermediary that a response with these headers came through, or "".
func Intermediary(h http.Header) string {
	for _, i := range intermediaries {
		if v := h.Get(i.header); v != "" && strings.HasPrefix(strings.ToLower(v), i.value) {
			return i.name
		}
	}
	return ""
}

// Bot returns the evidence that a bot protection sent a response: a header, a page, or a code. It returns "" for other
// responses. A page counts if the response names a content network.
func Bot(r Refusal) string {
	for name, values := range r.Header {
		if mitigation.MatchString(name) {
			return name + ": " + phrase.Clip(strings.Join(values, ", "), 60)
		}
	}
	body := strings.TrimSpace(string(r.Body))
	switch {
	case !contentNetworks[Intermediary(r.Header)]:
	case strings.HasPrefix(body, "<") && botPage().MatchString(body):
		return "a page instead of a message"
	case botCode().MatchString(body):
		return "a code of its firewall"
	}
	return ""
}

// isProxy reports whether the headers of a response show a proxy.
func isProxy(h http.Header) bool {
	return h.Get("Via") != "" || proxyName().MatchString(h.Get("Server"))
}

func betweenOf(a Attempt, r Refusal) (b Between) {
	header := r.Header
	if header == nil {
		header = a.Failed.ResponseHeader
	}
	b.Name, b.Proxy = Intermediary(header), isProxy(header) || isProxy(a.Failed.ResponseHeader)
	if b.Bot = Bot(r); b.Bot != "" && b.Name == "" {
		b.Name = "an intermediary"
	}
	const noticed = 5 * time.Second
	if x := a.Failed; x.Purpose == transport.PurposeMessage && x.Status == http.StatusOK && x.Took-x.FirstByte > noticed {
		b.Idle = phrase.Duration(x.Took - x.FirstByte)
	}
	return b
}
