// Package oauth gets access tokens for MCP servers over HTTP: OAuth 2.1 as MCP
// profiles it (specification, basic / authorization), as a list of steps that are
// reported to the user.
//
// An [Authorizer] is the transport.Authorization of one connection. A flow parses the
// challenge, discovers the metadata of the resource and of the authorization server, chooses or
// registers a client, gets the consent of the user if the grant requires it, and stores the
// token. It applies the strictest rules of all revisions. A violation is a [Refusal], which
// ends the flow unless [Config.Lenient] is set. Tokens are sent to the origin of their server
// only, even if lenient.
//
// The package does not know frames, methods, sessions or browsers:
// [Config.OpenBrowser] opens the consent page, a listener on this machine receives the
// response, a [Store] keeps the tokens. Its requests are made by the transport,
// which reports them.
package oauth
