// Package declare reads files that declare a server, in YAML or JSON: its tools, resources,
// templates and prompts with their responses. [NewMock] serves it with package internal/server/peer,
// which negotiates, checks arguments and completes as any server does.
//
// schema.json describes the file; it is what a file is checked with, and what editors use.
// [Make] writes such a file from what a server offers, with the responses of a recording.
package declare
