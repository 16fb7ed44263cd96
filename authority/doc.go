// Package authority implements an authorization server for the machine of a developer: OAuth 2.1 as MCP profiles
// it, on loopback. It is right, or wrong on purpose in one thing at a time.
//
// [Authority.Handler] serves metadata (RFC 8414, OpenID Connect Discovery), JWKS, the authorization code grant with
// PKCE, refresh with rotation, client credentials, registration (RFC 7591), client ID metadata documents,
// introspection (RFC 7662), revocation (RFC 7009) and DPoP (RFC 9449). Its tokens are accepted only by servers that
// trust it: the server under test, and the one behind [Authority.Protect]. [Authority.Forge] returns the wrong
// tokens of [Tokens]; [Options.Wrong] names a wrong response of [Answers]. Each request is reported as a [Seen],
// with secrets redacted, and with findings about what a client must not do.
//
// A browser runs on the same machine. The authority therefore responds only to a Host of the loopback interface,
// sends codes only to loopback or private-use redirect URIs, rejects POST requests of other origins, and consents
// without a page only to a navigation that no web page has caused.
package authority
