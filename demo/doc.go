// Package demo is the built-in MCP server: for users without a server of their own, and
// for tests. It supports all revisions, over stdio ([Server.ServeStdio]) and over
// Streamable HTTP ([Server.HandlerContext]), and can violate one rule on purpose ([Faults]).
//
// Package primitives has the tools, resources and prompts, package peer the behavior of a
// server, package rpcserver the transports; this package connects them, and has the
// faults: faults.jsonl says what is wrong, and functions do what a row cannot say. It
// shares nothing with the client but package jsonrpc and the tables of package revision.
//
// A new fault is a line of faults.jsonl, a function in faults.go if no member says it, and its
// symptom in faults_test.go.
package demo
