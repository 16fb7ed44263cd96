package failure

import (
	"net/http"
	"slices"
	"strings"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
)

// botHeaders are headers that only the bot protection of an intermediary adds to its response.
var botHeaders = []struct{ name, by string }{
	{"Cf-Mitigated", "Cloudflare"}, {"X-Vercel-Mitigated", "Vercel"}, {"X-Amzn-Waf-Action", "AWS WAF"},
}

var (
	// botPage are the titles of pages with which bot protections refuse a client.
	botPage = lazyregexp.New(`(?i)<title>[^<]*(?:just a moment|attention required|security check|verify you are human|access denied)`)
	// botCode is the body of a refusal by a firewall rule of Cloudflare.
	botCode = lazyregexp.New(`^error code: 10\d\d\b`)
	// emptyBody are words of parsers and frameworks for a body without bytes, or one that was read before.
	emptyBody = lazyregexp.New(`(?i)unexpected end|end of (?:the )?(?:input|file|stream)|stream is not readable|(?:request )?body (?:is |was )?(?:missing|empty|required)|(?:missing|empty|no) (?:request )?body|\bline 1 column 1 \(char 0\)|already (?:been )?(?:read|consumed)`)
)

// intermediaryOf is the content network that a response names in its Server header; empty for others.
func intermediaryOf(h http.Header) string {
	switch strings.ToLower(h.Get("Server")) {
	case "cloudflare":
		return "Cloudflare"
	case "vercel":
		return "Vercel"
	case "akamaighost":
		return "Akamai"
	}
	return ""
}

// addBetween adds what answered instead of the server: an intermediary that a response names, and the
// evidence that its bot protection has refused the request.
func addBetween(s situation, err *transport.StatusError) {
	by := intermediaryOf(err.Header)
	for _, bot := range botHeaders {
		if value := err.Header.Get(bot.name); value != "" {
			s["intermediary"], s["bot"] = bot.by, bot.name+": "+bare(value)
			return
		}
	}
	if by == "" {
		return
	}
	s["intermediary"] = by
	switch {
	case isPage(err.Body) && botPage().Match(err.Body):
		s["bot"] = "a page instead of a message"
	case botCode().Match(err.Body):
		s["bot"] = "a code of its firewall"
	}
}

// addSent adds what the request had of which the refusal says that it is missing.
func (f Facts) addSent(s situation, err *transport.StatusError) {
	accept := f.exchange.RequestHeader.Get("Accept")
	types := strings.FieldsFunc(accept, func(r rune) bool { return r == ',' || r == ' ' })
	if f.target.Header.Get("Accept") == "" && slices.Contains(types, mcphttp.JSONType) && slices.Contains(types, mcphttp.StreamType) {
		s["accept_sent"] = escape(cut(accept))
	}
	if f.exchange.Sent > 0 && emptyBody().Match(err.Body) {
		s["unread_body"] = f.exchange.Sent
	}
}
