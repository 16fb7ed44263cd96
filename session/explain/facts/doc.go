// Package facts collects the facts about a failure before its cause is sought. Each topic is a type and a file:
//
//   - [Sent]: headers and body of the failed request
//   - [Earlier]: earlier responses of the same peer
//   - [Between]: intermediaries that the response names
//   - [Offered]: versions that the server offered and refused
//   - [Call]: arguments of a failed call, compared with the inputSchema of the tool
//   - [Fate]: whether a call without a response may have been carried out
//   - [Stream]: event streams of GET
//   - [Command]: arguments that the output of the server rejects
//   - [Speaker]: who wrote the message
//   - [Thing]: what a message names, compared with all that was sent ([Known])
//   - [Unfilled]: variables and placeholders that nothing has replaced
//   - [Around]: output of the server that repeats its input
//
// The conditions of a row in failures.jsonl name facts. [All] lists the names: a row with another name is a
// mistake.
package facts
