// Package schemaform puts a form and a JSON editor over the tree of one JSON Schema:
// what is filled in goes from one to the other and back, and what is wrong with it is
// stated once before it is sent all the same.
//
// It knows schemas and the widgets that ask for them, and nothing of what the
// values are for: no tools, no requests.
package schemaform
