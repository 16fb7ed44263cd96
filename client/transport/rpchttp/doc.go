// Package rpchttp makes the HTTP exchanges of the transports: one request to the
// origin of a server, its response, and the reports of both.
//
// It adds credentials and repeats requests as a transport.Authorization requires,
// follows redirects that keep method, body and origin, reads bodies and event
// streams without changing a byte, masks secrets in reports, and classifies
// failures. It does not know the transport that uses it, the meaning of frames,
// sessions, how to get a token, or other reasons to retry.
package rpchttp
