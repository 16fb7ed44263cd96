// Package oauth gets the tokens that servers over HTTP want: OAuth 2.1 in the
// way that MCP asks for it (specification, basic / authorization), as a list of
// steps that somebody watches.
//
// An [Authorizer] is the transport.Authorization of one connection. It reads
// the challenge, the metadata of the resource and of the authorization server,
// finds out who it is to them, asks a person for consent where the grant needs
// one, and keeps the token. It applies the strictest rules of all revisions; what
// breaks one of them is a [Refusal], which ends the matter unless leniency was
// asked for. A token goes to the origin of the server it is for and nowhere
// else, lenient or not.
//
// It must not know frames, methods, sessions, screens or browsers: a person is
// asked by way of a function, the answer is caught by a [Catcher], and tokens
// are kept in a [Store]. Its requests go by way of the connection, which reports
// them.
package oauth
