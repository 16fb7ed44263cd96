// Package hostpage shows an app in a browser and carries its messages. It serves two origins on
// the loopback interface: the host page, which is a relay, and the sandbox, in which the
// document of the app is an inner frame with an opaque origin (MCP Apps 2026-01-26, sandbox
// proxy).
//
// The address of the host page has a token that is good for one request. The page gets a key
// in exchange, which its further requests carry; the sandbox has neither. The document is at a
// path that cannot be guessed, with the policy of the app as a header.
//
// The package knows no message: it passes bytes on.
package hostpage
