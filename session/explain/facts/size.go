package facts

import (
	"net/http"
	"regexp"

	"mcptea/internal/lazyregexp"
)

// sizeLimits lists words of programs that refuse a body for its size, with their limits.
var sizeLimits = []struct {
	words func() *regexp.Regexp
	limit string
}{
	{lazyregexp.New(`PayloadTooLargeError|request entity too large|body-parser|raw-body`), "a body parser of Node.js (express.json: limit, 100 kB unless it is set)"},
	{lazyregexp.New(`FST_ERR_CTP_BODY_TOO_LARGE|(?i)request body is too large`), "Fastify (bodyLimit, 1 MiB unless it is set)"},
	{lazyregexp.New(`(?i)request body too large\. the max request body size|BadHttpRequestException`), "Kestrel (MaxRequestBodySize, 30 MB unless it is set)"},
	{lazyregexp.New(`(?i)http: request body too large`), "http.MaxBytesReader in the server"},
	{lazyregexp.New(`(?i)length limit exceeded`), "Axum (DefaultBodyLimit, 2 MB unless it is set)"},
	{lazyregexp.New(`(?i)maximum upload size exceeded|MaxUploadSizeExceeded`), "Spring (max-request-size, max-http-request-size)"},
	{lazyregexp.New(`(?i)exceeds the capacity limit`), "Flask (MAX_CONTENT_LENGTH)"},
	{lazyregexp.New(`(?i)body exceeded [\d.]+ ?\w+ limit`), "Next.js (bodyParser.sizeLimit, 1 MB unless it is set)"},
	{lazyregexp.New(`FUNCTION_PAYLOAD_TOO_LARGE`), "Vercel Functions (4.5 MB)"},
	{lazyregexp.New(`(?i)content length exceeded \d+ bytes`), "AWS API Gateway (10 MB)"},
}

// proxyLimits maps intermediaries to their limits.
var proxyLimits = map[string]string{
	"nginx": "nginx (client_max_body_size, 1 MB unless it is set)", "OpenResty": "nginx (client_max_body_size, 1 MB unless it is set)",
	"Cloudflare": "Cloudflare (100 MB, or what the plan has)", "Traefik": "Traefik (buffering: maxRequestBodyBytes)", "Envoy": "Envoy (max_request_bytes)", "Kong": "Kong (client_max_body_size)",
}

// nginxPage matches the end of a page made by nginx.
var nginxPage = lazyregexp.New(`<center>(?:nginx|openresty)`)

// sizeLimit returns the program whose limit refuses a body, with the limit, or "" if the refusal has another
// reason or names no program. A status other than 413 requires the words.
func sizeLimit(r Refusal) string {
	for _, l := range sizeLimits {
		if l.words().Match(r.Body) {
			return l.limit
		}
	}
	if r.Status != http.StatusRequestEntityTooLarge {
		return ""
	}
	if nginxPage().Match(r.Body) {
		return proxyLimits["nginx"]
	}
	return proxyLimits[Intermediary(r.Header)]
}
