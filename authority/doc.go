// Package authority implements an authorization server for the developer's machine: OAuth 2.1 as
// profiled by MCP, on loopback. It is correct, or faulty on purpose in one respect.
// [Authority.Handler] serves metadata (RFC 8414, OpenID Connect Discovery), JWKS, the authorization
// code grant with PKCE, refresh with rotation, client credentials, registration (RFC 7591), client
// ID metadata documents, introspection (RFC 7662), revocation (RFC 7009) and DPoP (RFC 9449). Only
// servers that trust it accept its tokens: the server under test, and the server behind
// [Authority.Protect]. [Authority.Forge] returns the faulty tokens of [Tokens]; [Options.Wrong]
// selects a faulty response of [Answers]. Each request is reported as a [Seen], with secrets
// redacted, and with findings about mistakes of the client.
// A browser runs on the same machine. The authority therefore responds only to requests for a
// loopback host, sends codes only to loopback or private-use redirect URIs, and rejects POST
// requests of other origins. It consents without a page only to a navigation that no web page has
// caused.
package authority
