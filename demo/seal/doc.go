// Package seal makes tokens that only the same key can have made: a few bytes
// with a purpose and a day of expiry, under an HMAC. The holder of a token
// about can read what is in it and change nothing.
//
// It knows nothing of MCP and of what is in the tokens.
package seal
