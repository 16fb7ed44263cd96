// Package remedy has what a program can do about a failure: the remedies of an explanation as
// actions, and the settings of a link that they change. A remedy is a flag of the command line:
// what a program does at a key, a command prints.
//
// Nothing of it runs or contacts what a server has named: names and values that come from a
// server are proposals, which the user completes or agrees to.
package remedy
