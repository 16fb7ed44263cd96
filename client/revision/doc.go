// Package revision says what each released revision of MCP has, as tables:
// methods with who sends them and what they need, their params and results,
// capabilities, content blocks, log levels, error codes and HTTP headers.
//
// Whoever needs to know whether something exists in a revision asks here; no
// other package keeps a list. It knows no bytes, no connection and no user
// interface. What a revision that is not listed has is unknown: such a one is
// taken to have everything and to demand only what all the others demand.
package revision
