// Command conformance drives package client through one scenario of the
// official conformance suite (npm @modelcontextprotocol/conformance). The suite
// starts a server for the scenario and runs
//
//	driver URL
//
// with the scenario's name, its revision and its data in the environment; it
// judges by what the server saw. The driver exits with 0 when the scenario went
// as it should and with 1, and a sentence on stderr, when it did not.
//
// It knows the names of the suite's tools and resources and what to do with
// them. It must not know how anything is done: each scenario is a few calls of
// the client, with the strictness that people get by default.
package main
