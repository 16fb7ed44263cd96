// Package declare reads files that declare a server, in YAML or JSON: its tools, resources,
// templates and prompts with their responses. [NewMock] serves it with package internal/server/peer,
// which negotiates, checks arguments and completes as any server does.
//
// schema.json describes the file. Files are checked with it, and editors use it. [Make] writes such a file
// from what a server offers, with the responses of a recording.
package declare
