// Package masterdetail shows a list and the detail of its selected item: side by
// side, one over the other, or on narrow screens the detail alone while it has the
// focus.
//
// Items are known by their keys, so that the selection stays while the list
// changes, and only the visible ones are painted. What an item is, and which keys
// move the cursor, is left to the caller.
package masterdetail
