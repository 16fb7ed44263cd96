package inspector

import (
	"fmt"
	"testing"

	"mcptea/demo"
)

// compose sends a request by hand and goes to the frame of its answer.
func (d *driver) compose(method, params string) {
	d.press("1c")
	d.within(func() { d.model.composer.Compose(method, params) })
	d.press("<ctrl+s><f4>")
}

func TestAnErrorIsExplained(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
				d.compose("tools/call", `{"name":"nope","arguments":{}}`)
				d.sees("-32602 Unknown tool or prompt", "usual cause", "first check", "K more")
				d.press("K")
				d.sees("-32602 Unknown tool or prompt", "esc close", "by           MCP")
				d.press("G")
				d.sees("see also")
				d.press("<esc>")
				d.lacks("esc close")
				d.sees("first check")
			})
		})
	}
}

func TestToolError_NotAProtocolError(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.compose("tools/call", `{"name":"add","arguments":{"a":"x"}}`)
		d.sees("The tool failed (isError); the request ", "succeeded.")
		d.lacks("first check")
		d.press("K")
		d.sees("isError Tool error", "esc close")
		d.press("K")
		d.lacks("esc close")
	})
}

func TestExplain_MethodsFromTraffic(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9gK")
		d.sees("initialize request", "Opens the session", "protocolVersion, capabilities, clientInfo")
		d.press("<esc>")
		d.lacks("Opens the session")
	})
}

func TestFailure_Explained(t *testing.T) {
	drive(t, 120, 36, demo.Options{Fault: "init-error"}, func(d *driver) {
		d.sees("Connection failed", "K explain")
		d.press("K")
		d.sees("-32603 Internal error", "first check")
	})
	drive(t, 120, 36, demo.Options{Fault: "no-answer"}, func(d *driver) {
		d.sleep(40e9)
		d.press("K")
		d.sees("response a step of connecting", "here", "--connect-timeout")
		d.lacks("usual cause") // what was seen says more
	})
}
