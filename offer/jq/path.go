package jq

import "mcptea/internal/jsontree"

// Path returns the filter for the value that some steps lead to: the name of a member, a string, or the index of an element,
// an int, for each level.
func Path(steps []any) string { return jsontree.Place(steps).JQ() }
