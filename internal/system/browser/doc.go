// Package browser opens a page in the user's browser. It is asked only by a key or flag of
// the user, never by what a server sends. It must not know what the page is for.
//
// Every user of a machine can read the arguments of its processes, and an address may be a
// secret: that of the page of an app is good for one request of any user. So the programs
// that open pages get the path of a file that only the user can read, and that redirects.
package browser
