// Package media makes small pictures and sounds, so that the demo server has
// something real to send. It knows nothing of MCP; the same call gives the same
// bytes each time.
package media
