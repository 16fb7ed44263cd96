// Package widget provides components of panes that do not depend on MCP: a scrolling list with a cursor, the
// columns of such a list, and exact bytes as a hex dump or as escaped text.
//
// Items of a list are identified by keys, so that the selection stays while the list changes. Only visible
// items are read and painted. The meaning of an item and of bytes, and the keys that move the cursor, are left
// to the caller.
//
// Tests: ui/parts/list*_test.go, ui/parts/hexview_test.go
package widget
