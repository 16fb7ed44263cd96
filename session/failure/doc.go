// Package failure says in words why a connection or a call did not work: what was
// attempted, how far it got, what there is to see, what the likely cause is, and what to
// try.
//
// [Explain] classifies an error, collects what is known of it as the facts of a situation,
// and looks in failures.jsonl for the first row that fits; the row has the texts. A new
// failure is a row there, and a fact in the code if the conditions need one.
//
// The package knows no terminal. It sanitizes nothing: lines that a server controls are
// marked as foreign, and what draws them sanitizes them.
package failure
