// Package stdio runs an MCP server as a child process and moves frames over
// its standard input and output, one line each (MCP specification, basic /
// transports / stdio).
//
// It reports what the process does: its start, every line on stderr, every
// signal sent, how it ended. It takes whatever a server puts on stdout, since
// the broken ones are the reason why somebody looks: text, blank lines, lines
// of any length, a last line without its newline.
//
// It knows nothing of requests and answers, and never starts anything but the
// command that it was given.
package stdio
