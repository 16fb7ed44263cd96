// Package list is a list of names that scrolls, with a cursor and a fuzzy
// filter. Only the visible rows are painted.
//
// The list knows its items by key, so the selection stays where it is when the
// items are fetched again. It knows nothing of what they stand for.
package list
