// Package tokens is the token store: it keeps tokens for later sessions, the
// secrets in the keyring of the operating system, or without a keyring in a file
// with mode 0600. The list of entries, without secrets, is in another file, since
// keyrings cannot be listed.
//
// Every entry is for one resource, one issuer and one client (oauth.Store). The
// package does not know how tokens are obtained or used.
package tokens
