// Package explain says in words why a connection or a call did not work: what
// was attempted, how far it got, what there is to see, what the likely cause
// is, and what to try.
//
// It looks at errors and facts and knows neither a terminal nor colours. It
// sanitises nothing: lines that a server controls are marked as foreign, and
// who draws them makes them safe.
package explain
