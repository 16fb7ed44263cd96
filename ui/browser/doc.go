// Package browser opens a page in the user's browser. It is asked only by a
// person's own key or flag, never by what a server says. It must not know what
// the page is for.
package browser
