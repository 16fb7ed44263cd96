// Package headers compares the HTTP headers that repeat what a request of
// 2026-07-28 says with what it says: Mcp-Method, Mcp-Name and the Mcp-Param
// headers that the schema of a tool asks for.
//
// It knows no transport and no table: its caller brings the headers, the
// message and the schema.
package headers
