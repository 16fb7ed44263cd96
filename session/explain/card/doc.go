// Package card explains terms that people look up by name: error codes, HTTP statuses, methods, rules,
// connect steps, capabilities, headers, log levels.
//
// The texts are data (terms.jsonl, meanings.jsonl), or are built from the tables of client/revision and the
// catalog of lint. A [Where] describes the case at hand, so that the likely meaning comes
// first. Cards contain only mcptea's own texts, never text of a server.
package card
