// Package widget has components of panes that know nothing of MCP: a list that scrolls, with
// a cursor, the columns of such a list, and exact bytes as a hex dump or as escaped text.
//
// Items of a list are known by their keys, so that the selection stays while the list
// changes. Only what is visible is read and painted. What an item is, what the bytes mean,
// and which keys move the cursor, is left to the caller.
//
// Tests: ui/parts/list*_test.go, ui/parts/hexview_test.go
package widget
