// Package record is the format of recordings: one JSON object a line, the
// first one a header, then an event each, in the order in which they happened.
//
// The keys of a line stand in a fixed order and the payload comes last, so a
// frame's bytes stand in the file exactly as they crossed the wire and a
// reader cuts them out instead of decoding them. Bytes that cannot stand in a
// line of JSON (stray text, invalid UTF-8, a line break) are kept in base64,
// with a readable preview beside it.
//
//	{"mcptea":1,"t":1780000000000000000,"tool":"mcptea 0.1.0","transport":"stdio","target":"node server.js"}
//	{"s":1,"t":…,"k":"out","id":1,"m":"ping","n":40,"msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}
//	{"s":2,"t":…,"k":"in","n":9,"txt":"listening","b64":"bGlzdGVuaW5n"}
//
// The package knows the lines and nothing else: no file, no index.
package record
