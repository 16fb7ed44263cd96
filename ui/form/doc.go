// Package form edits the values of a JSON Schema. A form has a row for each open node of a
// [schema.Tree], and a JSON editor for the same values. The tree holds the values. Before values
// with problems are sent, the problems are displayed once.
// The package depends on schemas, but not on the use of the values: it knows no tools and no
// requests.
package form
