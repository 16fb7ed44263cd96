// Package agent is mcptea as an MCP server: its tools connect to the server that a
// coding agent writes, say why that does not work, call its tools and show the traffic.
//
// It is built on the official Go SDK. Each tool is a function with a typed argument
// and result; the schemas are made from the types. Texts of the server that is
// inspected are not trusted: they are in members whose names begin with "server_", cut
// to a size that the caller chooses, and the instructions say that they are data.
package agent
