// Package check says whether a schema is one, and whether a value fits it, in
// one plain sentence about the first thing that does not.
//
// What it is given comes from strangers. Nothing is fetched, and a schema that
// is too large, refers to itself without end, or costs too many steps is not
// checked at all: the answer is then that nothing is known, never that
// something is wrong.
package check
