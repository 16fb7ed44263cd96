package inspector

import "testing"

// A request with the id null, which the user sends on purpose, waits for the response with that id, and can be given up.
func TestComposer_RequestWithIDNull(t *testing.T) {
	server := scriptedReactions(func(method, id string) string {
		if method == "never" {
			return ""
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
	})
	driveServer(t, 120, 36, server, func(d *driver) {
		d.session.StartFrame([]byte(`{"jsonrpc":"2.0","id":null,"method":"ping"}`))
		d.settle()
		d.lacks("1 pending")
		d.session.StartFrame([]byte(`{"jsonrpc":"2.0","id":null,"method":"never"}`))
		d.settle()
		d.press("9")
		d.sees("1 pending")
		d.press("x")
		d.settle()
		d.lacks("1 pending")
	})
}
