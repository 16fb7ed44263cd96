// Package card holds what there is to know about the things that people ask
// for by their names: error codes, HTTP statuses, methods, rules, connect
// steps, capabilities, headers, log levels.
//
// The texts are data (terms.jsonl, meanings.jsonl) or come from the tables of client/revision and
// from the catalogue of session/checks/lint. A [Where] says what is known of the case
// at hand and puts the likely meaning first. All texts are ours: nothing of a
// server gets into a card.
package card
