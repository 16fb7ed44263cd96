// Package browse is the pane for what a server offers: its tools, its resources
// and templates, its prompts. A list on the left; on the right the selected
// item with a form for its arguments, the running call and its result.
//
// The three kinds differ in a table only: how an item becomes a form, and what
// is filled in becomes a request. The pane sends nothing itself, it returns
// actions; it knows no other pane.
package browse
