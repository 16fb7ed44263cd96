// Package revision says what each released revision of MCP has, as tables:
// which methods exist and which way they go.
//
// Whoever needs to know whether a method exists asks here; no other package
// keeps a list. It knows no bytes, no connection and no user interface.
package revision
