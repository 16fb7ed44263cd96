// Package agent implements an MCP server, mcptea mcp: its tools let a coding agent connect to the server that
// it writes, learn why that fails, call its tools and read the traffic.
//
// It uses the official Go SDK. Each tool is a function with a typed argument and a typed result, and its
// schemas are generated from these types. Text of the inspected server is untrusted: it is in members whose
// names begin with "server_" and cut to a size that the caller chooses, and the instructions declare it as
// data.
package agent
