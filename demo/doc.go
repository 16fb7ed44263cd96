// Package demo is the built-in MCP server: for users without their own server, and for tests. It supports all
// protocol versions, over stdio ([Server.ServeStdio]) and over Streamable HTTP ([Server.HandlerContext]), and
// can violate one rule on purpose ([Faults]).
//
// Package primitives has the tools, resources and prompts, package peer the behavior of a server, package
// rpcserver the transports. This package connects them, and implements the faults: faults.jsonl describes them,
// and functions implement what a row cannot express. It shares only package jsonrpc and the tables of package
// revision with the client.
//
// A new fault is a line of faults.jsonl, a function in faults.go if no member expresses it, and its symptom in
// faults_test.go.
package demo
