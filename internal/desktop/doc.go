// Package desktop reaches the desktop of the user: the browser and the clipboard.
//
// It also opens a page in the user's browser. It is asked only by a key or flag of
// the user, never by what a server sends. It must not know what the page is for.
//
// Every user of a machine can read the arguments of its processes, and an address may be a
// secret: that of the page of an app is good for one request of any user. So the programs
// that open pages get the path of a file that only the user can read, and that redirects.
//
// It also writes to the clipboard of the system, with the programs that systems have
// for it. Terminals are asked to do so elsewhere (OSC 52).
package desktop
