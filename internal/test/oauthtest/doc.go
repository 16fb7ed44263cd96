// Package oauthtest is an MCP server that requires access tokens, and the authorization
// server that issues them, for tests and manual trials. Each can be configured to
// violate a rule.
//
// It checks what a client sends as such servers do: PKCE, redirect URIs, client
// authentication, the resource a token is for. It must not know package oauth:
// the two were written from the same specifications and not from each other.
package oauthtest
