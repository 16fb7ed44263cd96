// Package form asks for the values of a JSON Schema: a row for each open node of a
// [schema.Tree], and a JSON editor for the same values. What is filled in is kept in the
// tree; what is wrong with it is stated once before it is sent all the same.
//
// It knows schemas, and nothing of what the values are for: no tools, no requests.
package form
