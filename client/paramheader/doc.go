// Package paramheader parses the x-mcp-header annotations in the input schema of a
// tool, which map arguments of a call to HTTP headers (2026-07-28, basic / transports,
// "Custom Headers from Tool Parameters"), and returns the values for these headers.
package paramheader
