// Package rule defines what the families of rules are written with: the [Rule]
// and its entry in the catalog, the [Context] that a rule checks and reports
// with, the [State] of the connection, and text for messages.
//
// It also has the [Engine], which follows a connection and runs the rules of a
// [Catalog]. The families import this package, and package lint imports the
// families.
package rule
