// Package list is a list of names with a cursor and a fuzzy filter. Only the
// visible rows are painted.
//
// Items are known by their keys, so that the selection stays when they are fetched
// again. What they stand for is left to the caller.
package list
