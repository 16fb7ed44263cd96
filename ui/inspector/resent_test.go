package inspector

import (
	"testing"

	"mcptea/demo"
)

// A frame that is not JSON is not a call of the tool that it names, even when it is sent again.
func TestResent_FrameThatIsNoRequest(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.model.sentAgain(d.model.session.Again([]byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"message":"te`)))
		d.press("/echo<enter>")
		d.sees("echo", "message")
		d.lacks("call ok")
	})
}
