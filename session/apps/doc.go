// Package apps is the host of MCP Apps, the extension io.modelcontextprotocol/ui (version
// 2026-01-26 and what its draft adds): it opens the app of a tool in a browser, speaks the
// host half of the protocol, and passes the calls of the app on to the server of the session.
//
// Each message between app and host is a frame in the record of the session, on a connection of
// its own beside that of the session, with the transport "app": Out is host to app. What the
// server is sent for a message of the app names the row of that message.
//
// It knows the session and the page in the browser. It must not know how the user is asked: a
// question waits in the [State] until [App.Allow] or [App.Refuse] decides it. All texts of an
// app are untrusted and must be sanitized before a terminal gets them.
//
// It also follows which documents of MCP Apps were read in a session, and what the
// linter found about them and about the tools, from the rows of its record.
package apps
