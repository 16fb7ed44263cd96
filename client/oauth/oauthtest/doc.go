// Package oauthtest plays an MCP server that wants tokens, and the authorization
// server that issues them, for tests and for a try by hand. Each can be told to
// do something wrong.
//
// It checks what a client sends as such servers do: PKCE, redirect URIs, client
// authentication, the resource a token is for. It must not know package oauth:
// the two were written from the same specifications and not from each other.
package oauthtest
