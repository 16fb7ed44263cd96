// Package facts collects what is known around a failure, before a cause is sought: one value with a
// type, and one file, for each topic.
//
//   - [Sent]: headers and body of the request that failed
//   - [Earlier]: responses of the same peer before the request
//   - [Between]: intermediaries that the response names
//   - [Offered]: versions that the server offered and those that it refused
//   - [Call]: arguments of a call that failed, against the inputSchema of the tool
//   - [Fate]: whether a call that got no response may have been carried out
//   - [Stream]: event streams of GET
//   - [Command]: arguments that the output of the server refuses
//   - [Around]: output of the server that is what was written to it
//
// A row of failures.jsonl names facts in its conditions. [All] has the names: a row that names another
// fact is a mistake.
package facts
