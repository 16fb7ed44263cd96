// Command conformance drives package client through one scenario of the official conformance suite (npm
// @modelcontextprotocol/conformance). The suite starts a server for the scenario and runs
//
//	driver URL
//
// with the scenario's name, its revision and its data in the environment. It judges the requests that the
// server received. The driver exits with 0 if the scenario succeeded, and otherwise with 1 and a sentence on
// stderr.
//
// It uses the names of the suite's tools and resources. It must not depend on how the client works: each
// scenario is a few calls of the client, with its default strictness.
package main
