// Package desktop opens pages in the user's browser and writes to the clipboard of the system.
//
// It opens pages only when a key or flag of the user requests it, never when a server does. It must not
// depend on what a page is for.
//
// Every user of a machine can read the arguments of its processes, and a URL may contain a secret: the URL of
// an app's page is valid for one request of any user. Programs that open pages therefore get the path of a
// file that only the user can read and that redirects to the URL.
//
// For the clipboard it runs the programs of each system. Package program also writes to the clipboard through
// the terminal (OSC 52).
package desktop
