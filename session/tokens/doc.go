// Package tokens keeps the tokens that servers have given, for another time: the
// secrets in the keyring of the operating system, and where there is none, in a
// file that only its owner can read. A list of what is kept, without secrets,
// stands in a file of its own, since keyrings cannot be listed.
//
// Every entry is for one resource, one issuer and one client (oauth.Store). The
// package must not know how tokens are got, nor what they open.
package tokens
