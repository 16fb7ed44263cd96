// Package apps implements the host of MCP Apps, the extension io.modelcontextprotocol/ui (version 2026-01-26,
// with additions of its draft). It opens the app of a tool in a browser, implements the host side of the
// protocol, and forwards the app's calls to the server of the session.
//
// Each message between app and host is a frame in the record of the session, on its own connection with the
// transport "app": Out is host to app. A request that is sent to the server for a message of the app names the
// row of that message.
//
// The package depends on the session and the page in the browser, but not on how the user is asked: a question
// waits in the [State] until [App.Allow] or [App.Refuse] decides it. All texts of an app are untrusted and must
// be sanitized before they reach a terminal.
//
// The package also collects, from the rows of a record, which app documents were read in a session, and what
// the linter found about them and the tools.
package apps
