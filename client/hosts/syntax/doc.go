// Package syntax parses the configuration files of MCP hosts, which are JSON,
// JSON with comments, TOML or YAML, into one kind of tree.
//
// Each node knows its byte range in the file, so that a value can be reported
// with its line, and replaced without a change to any other byte.
package syntax
