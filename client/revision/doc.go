// Package revision defines what each released revision of MCP has, as tables:
// methods with their sender and required capability, params and results,
// capabilities, content blocks, log levels, error codes and HTTP headers. No other
// package has such lists.
//
// An unknown revision is treated as if it had everything, and required only what all
// released ones require.
//
// A new protocol version is its tables here, its transitions in package negotiate with their
// traces, and the version in the demo server. Its official schema goes beside the others, and go
// test ./client/revision -run TestSchema_Shapes -update writes shapes.txt.
package revision
