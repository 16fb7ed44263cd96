// Package rpchttp makes the HTTP exchanges that the transports over HTTP have
// in common: one request to a server's origin, its answer, and the reports of
// both.
//
// It builds requests, lets an authorization sign them and sends them again when
// that one says so, follows the redirects that keep method, body and origin,
// reads bodies and event streams without changing a byte, masks secrets before
// anybody is told, and says in words what went wrong. It must not know which
// transport uses it, what a frame means, sessions, how to get a token, or when
// else to try again.
package rpchttp
