// Package hostpage shows an app in a browser and carries its messages. It serves two origins on the loopback
// interface: the host page, which relays messages, and the sandbox, where the document of the app is an inner
// frame with an opaque origin (MCP Apps 2026-01-26, sandbox proxy).
//
// The URL of the host page contains a token that is valid for one request. In exchange, the page gets a key
// for its later requests; the sandbox gets neither. The document is at an unguessable path, with the policy
// of the app as a header.
//
// The package passes bytes on and does not interpret messages.
package hostpage
