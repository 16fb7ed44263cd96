// Package form edits the values of a JSON Schema: a row for each open node of a [schema.Tree], and a JSON
// editor for the same values. The tree holds the values. Problems are reported once before the values are sent
// anyway.
//
// The package depends on schemas, but not on the use of the values: it has no tools and no requests.
package form
