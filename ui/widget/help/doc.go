// Package help shows a table of keys and what they do, in columns when there
// is room, with a filter.
//
// The table is given to it; it knows no command.
package help
