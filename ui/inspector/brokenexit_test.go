package inspector

import (
	"bufio"
	"fmt"
	"io"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
)

// A malformed frame that ends the server is not a missing response: the response, the list of Break it and
// the history say so, even after a restart.
func TestBreak_ServerExits(t *testing.T) {
	m := mending{name: "strict", target: commandOf("node", "server.js"), process: func(_ client.Target, p *process, in io.Reader, out io.Writer) int {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			e := jsonrpc.Scan(lines.Bytes())
			switch result := forecast[e.MethodName(lines.Bytes())]; {
			case e.Kind == jsonrpc.Invalid:
				p.stderr("SyntaxError: Unexpected end of JSON input")
				return 1
			case e.Kind == jsonrpc.Request && result != "":
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", e.ID.Of(lines.Bytes()), result)
			}
		}
		return 0
	}}
	m.run(t, func(d *driver, _ *session.Session, _ chan<- watch.Burst) {
		d.press("cping")
		d.press("<ctrl+p>cut in the middle<enter>")
		d.sees("broken: cut in the middle")
		d.press("<ctrl+s>")
		d.sleep(3 * time.Second)
		d.sees("✗ server exited", "Sent. The server exited, and no response came.", "▌● cut in the middle")
		d.lacks("as expected")
		d.lacks("none in 2 s")
		d.command("restart")
		d.sleep(3 * time.Second)
		d.sees("● connected", "✗ server exited")
		d.lacks("as expected")
	})
}
