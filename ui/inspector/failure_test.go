package inspector

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/demo"
	"mcptea/session/session"
)

// footer is the last row of the screen.
func (d *driver) footer() string {
	lines := strings.Split(d.term.screen(), "\n")
	return lines[len(lines)-1]
}

// exits is a server that writes to stderr and exits before it responds.
func exits(p *process, in io.Reader, out io.Writer) int {
	reply(in, out, nil)
	time.Sleep(140 * time.Millisecond)
	p.stderr("fatal: cannot open weather.db")
	return 1
}

// crashes is a server that exits in a call.
func crashes(p *process, in io.Reader, out io.Writer) int {
	if reply(in, out, forecast) == "" {
		return 0
	}
	time.Sleep(61 * time.Millisecond)
	p.stderr("KeyError: 'city'")
	return 1
}

// banner is a server that writes a line to stdout before it responds.
func banner(_ *process, in io.Reader, out io.Writer) int {
	fmt.Fprintln(out, "Listening on stdio, version 1.2")
	reply(in, out, forecast)
	return 0
}

func without(method string, of map[string]string) map[string]string {
	results := map[string]string{}
	for name, result := range of {
		results[name] = result
	}
	results[method] = `{"tools":[]}`
	return results
}

// On the smallest usual terminal the cause and the remedy of a failure are on the
// screen, and the last row names the keys that help, and no others.
func TestFailure_CauseRemedyAndKeys(t *testing.T) {
	for name, c := range map[string]struct {
		picture
		sees, keys, lacks []string
	}{
		"exits": {
			picture{dial: dialProcess(exits, "node", "x.js"), keys: func(*driver) {}},
			[]string{"exited with code 1", "fatal: cannot open weather.db"},
			[]string{"enter try again", "Y copy report"},
			[]string{"compare", "u change"},
		},
		"token without OAuth": {
			picture{http: true, keys: func(*driver) {}},
			[]string{"requires an access token", "enter paste a token"},
			[]string{"f6 token"},
			[]string{"f5 authorize", "compare"},
		},
		"crash": {
			picture{dial: dialProcess(crashes, "node", "x.js"), keys: func(d *driver) {
				d.tool("forecast")
				d.press("Oslo")
				d.command("call.send")
			}},
			[]string{"crashed during this call:", "KeyError:", "r restart and send again", "6 all lines"},
			[]string{"R restart"},
			[]string{"v raw", "y copy"},
		},
		"empty list": {
			picture{dial: dialProcess(func(_ *process, in io.Reader, out io.Writer) int {
				reply(in, out, without("tools/list", forecast))
				return 0
			}, "node", "x.js"), keys: func(*driver) {}},
			[]string{"tools/list returned an empty list", "Register the tools"},
			[]string{"ctrl+r refresh", "R restart"},
			[]string{"enter arguments", "copy as command"},
		},
		"banner on stdout": {
			picture{dial: dialProcess(banner, "node", "x.js"), keys: func(*driver) {}},
			[]string{"connected"},
			[]string{`Not JSON-RPC on stdout: "Listening on`, "Log to stderr  8 shows Problems"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.run(t, 80, 24, func(d *driver) {
				d.sees(c.sees...)
				for _, key := range c.keys {
					if !strings.Contains(d.footer(), key) {
						t.Errorf("the footer lacks %q: %s", key, d.footer())
					}
				}
				for _, key := range c.lacks {
					if strings.Contains(d.footer(), key) {
						t.Errorf("the footer has %q: %s", key, d.footer())
					}
				}
			})
		})
	}
}

// The note about stdout stays until a key is pressed; the server page repeats it.
func TestFailure_BannerOnStdout(t *testing.T) {
	picture{dial: dialProcess(banner, "node", "x.js"), keys: func(*driver) {}}.run(t, 100, 30, func(d *driver) {
		d.sleep(time.Minute)
		d.sees("Not JSON-RPC on stdout")
		d.press("1")
		d.sees(`"Listening on stdio, version 1.2"`, "Write logs and banners to stderr.")
		d.lacks("Not JSON-RPC on stdout")
	})
}

// A response that is not JSON is said as that: on the call with the place, on the Server tab, and with the
// bytes around that place on the call. The finding that says the same is not shown again; K explains it.
func TestFailure_ResponseThatIsNotJSON(t *testing.T) {
	drive(t, 120, 36, demo.Options{Fault: "bad-json"}, func(d *driver) {
		d.press("2/echo<enter><enter>hi<enter>")
		d.sees("call id 10 invalid response", "Response to request 10 is not JSON: byte", "76, '}' after ','.", `near: ext","text":"hi"}]},}`, "→ f4 show the frame of the response")
		d.lacks("J001")
		d.lacks("Log to stderr")
		d.press("<f4>")
		d.sees("→ #20 request tools/call", "← #21 invalid")
		d.press("<esc>K")
		d.sees("J001 not-json", "Send exactly one JSON text per message.")
		d.press("<esc>1")
		d.sees("Response to request 10 is not JSON: byte 76, '}' after ','.")
		d.lacks("Write logs and banners to stderr.")
	})
}

// The place in a file that stderr names leads there, where the file exists: in what is said to do about it, and in the
// lines. A place in a file that does not exist is text, as is a link that the server has written.
func TestFailure_PlaceIsALink(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s2.py")
	if err := os.WriteFile(file, []byte("import nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := session.Config{Target: client.Target{Argv: []string{"python", "s2.py"}}, Record: "off", Dial: dialProcess(func(p *process, in io.Reader, out io.Writer) int {
		reply(in, out, nil)
		p.stderr("Traceback (most recent call last):")
		p.stderr("  File \"/no/such/other.py\", line 1, in <module>")
		p.stderr("  File \"" + file + "\", line 1, in <module>")
		p.stderr("ModuleNotFoundError: \x1b]8;;https://example.com/evil\x07No module\x1b]8;;\x07 named 'nothing'")
		return 1
	}, "python", "s2.py")}
	driveSession(t, 120, 36, cfg, func(d *driver) {
		d.sees("open s2.py:1 in your editor")
		at := regexp.MustCompile(`^;file://[^/]*` + regexp.QuoteMeta(filepath.ToSlash(file)) + `$`)
		links := 0
		for _, link := range d.written("8") {
			switch {
			case link == ";": // its end
			case at.MatchString(link):
				links++
			default:
				t.Errorf("a link to %q", link)
			}
		}
		if links < 2 {
			t.Errorf("%d links to the place\n%s", links, d.term.screen())
		}
	})
}

// After the end of the server nothing is sent, and nothing is said of a call that it never got.
func TestFailure_NothingIsSentToAServerThatHasEnded(t *testing.T) {
	p := picture{dial: dialProcess(crashes, "node", "x.js"), keys: func(d *driver) {
		d.tool("forecast")
		d.press("Oslo")
		d.command("call.send")
	}}
	p.run(t, 120, 36, func(d *driver) {
		d.sees("crashed during this call", "KeyError:")
		rows := d.session.Store().Snapshot().Rows
		d.press("2/alerts<enter><enter><enter>")
		d.sees("Not sent: the server has ended. R restarts it.")
		d.press("c<ctrl+s>")
		d.sees("Not sent: the server has ended.")
		if now := d.session.Store().Snapshot().Rows; now != rows {
			t.Errorf("%d rows, %d before", now, rows)
		}
	})
}
