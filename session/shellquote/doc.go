// Package shellquote writes a command line for the shell that it will be pasted
// into: bash, zsh, ksh, fish, PowerShell or any POSIX shell.
//
// A paste is typed input: a control character in it can end the bracketed paste,
// cancel the line or enter it. What is written therefore contains printable
// characters only, and none that changes the direction or the width of the text
// after it. All other bytes are escapes of the shell.
//
// The quotes are safe in every shell and not only in the one that is meant,
// since $SHELL need not be the shell of the window: between single quotes there
// is nothing that any of them gives a meaning to, and where escapes are needed
// the wrong shell reports an error or passes another text on, but runs nothing.
package shellquote
