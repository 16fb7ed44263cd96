// Package stdio runs an MCP server as a child process and moves frames over
// its standard input and output, one line each (MCP specification, basic /
// transports / stdio).
//
// It reports the process: start, lines on stderr, signals and exit. It accepts any output on stdout, since
// users look for invalid output: text, blank lines, lines of any length, a last line without newline.
//
// It does not know requests and responses, and starts only the given command.
package stdio
