package pane_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/session/session"
	"mcptea/ui/app"
)

func fails(t *testing.T, target client.Target, err error, stderr ...string) *serverBench {
	b := newServerBench(t, target)
	if target.IsStdio() {
		b.process(41207)
		b.exit(1, "", 210*time.Millisecond)
	}
	b.stderr(stderr...)
	b.steps(done, done, done, failed)
	b.st.Phase, b.st.Err = session.Failed, &client.ConnectError{Step: client.StepResponse, Err: err}
	b.refresh(time.Second)
	return b
}

func status(code int, body string, header ...string) error {
	err := &transport.StatusError{Method: "POST", URL: "https://example.com/mcp", Status: code, Body: []byte(body), Header: http.Header{}}
	for i := 0; i < len(header); i += 2 {
		err.Header.Set(header[i], header[i+1])
	}
	return err
}

// A low page shows the lines of stderr that its sentence repeats if rows are left, and keeps what was run on the page.
func TestServer_Failure_LinesOfStderrWhereRoom(t *testing.T) {
	lines := []string{"Traceback (most recent call last):", `  File "w.py", line 3, in <module>`, `    TOKEN=os.environ["WEATHER_KEY"]`, "KeyError: 'WEATHER_KEY'"}
	b := fails(t, weather(), &stdio.ExitError{Code: 1, After: time.Second}, lines...)
	for h, wants := range map[int][]string{
		21: {"stderr  4 lines", "│ │ KeyError: 'WEATHER_KEY'", "recording "},
		17: {"stderr  4 lines", "recording "},
	} {
		screen := b.screen(78, h)
		for _, want := range wants {
			if !strings.Contains(screen, want) {
				t.Errorf("%d rows lack %q:\n%s", h, want, screen)
			}
		}
		if shown := strings.Contains(screen, "TOKEN="); shown != (h == 21) {
			t.Errorf("%d rows: lines shown %v:\n%s", h, shown, screen)
		}
	}
	if screen := b.screen(60, 21); !strings.Contains(screen, "5 steps, the last 2  ") {
		t.Errorf("the row of the steps does not say which:\n%s", screen)
	}
}

// A corrected line is visible before the key that fills it in, and beside the line that it replaces afterwards. It is used
// only after enter in the line.
func TestServer_Failure_CorrectionIsVisible(t *testing.T) {
	b := fails(t, client.Target{Argv: []string{"pyhton3", "w.py"}}, &stdio.StartError{Command: "pyhton3", Near: "python3", Err: exec.ErrNotFound})
	b.sees(b.screen(78, 20), "→ enter correct the command  to python3 w.py, which you can edit")
	b.at.Press("enter")
	b.at.Sees("Proposed in place of pyhton3 w.py.", "› python3 w.py")
	if s := b.s.Target().String(); s != "pyhton3 w.py" {
		t.Errorf("the server is %s before enter in the line", s)
	}
	b = fails(t, client.Target{Argv: []string{"pyhton3", strings.Repeat("x", 80)}}, &stdio.StartError{Command: "pyhton3", Near: "python3", Err: exec.ErrNotFound})
	b.sees(b.screen(78, 20), "→ enter correct the command  opens the line to edit")
}

// The pane has 15 rows at 80x24, where most people open it.
func TestServer_Failure_CauseRemedyAndEvidenceFitSmallPane(t *testing.T) {
	web := client.Target{URL: "https://example.com/mcp"}
	long := strings.Repeat("a line of a stack trace that says nothing\n", 40)
	for _, tc := range []struct {
		name   string
		target client.Target
		err    error
		stderr string
		want   []string
	}{
		{"exit", weather(), &stdio.ExitError{Code: 1, After: time.Second}, long + "KeyError: 'WEATHER_KEY'", []string{"exited with code 1", "→ ", "stderr  41 lines"}},
		{"module", weather(), &stdio.ExitError{Code: 1, After: time.Second}, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from server.js\n" + long, []string{"zod", "→ Run npm install", "stderr  42 lines"}},
		{"timeout", weather(), &client.TimeoutError{Method: "initialize", After: 30 * time.Second}, "", []string{"30 s", "→ ", "stderr  nothing was written to it"}},
		{"refused", web, &url.Error{Op: "Post", URL: "x", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, "", []string{"connection refused", "→ Start the server"}},
		{"certificate", web, &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, "", []string{"The certificate of the server is not accepted.", "→ Trust it: --cacert FILE", "x509: certificate signed by unknown"}},
		{"401", web, status(401, "{}", "WWW-Authenticate", `Bearer error="invalid_token"`), "", []string{"HTTP 401 Unauthorized: the server requires an access token; none is set.", "→ enter paste a token", "next time  MCPTEA_TOKEN=", "│ WWW-Authenticate: Bearer error"}},
		{"403", web, status(403, "no such plan"), "", []string{"403 Forbidden", "→ Compare the name with what is listed there; services often call not found"}},
		{"500", web, status(500, long+"TypeError: x"), "", []string{"500 Internal Server Error", "→ The stack trace in the server's log", "│ a line"}},
		{"redirect", web, status(302, "", "Location", "https://login.example.com/"), "", []string{"302 Found", "→ Use the URL", "│ Location: https://login.example.com/"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var lines []string
			if tc.stderr != "" {
				lines = strings.Split(tc.stderr, "\n")
			}
			b := fails(t, tc.target, tc.err, lines...)
			s := b.screen(80, 15)
			b.sees(s, "Connection failed", "attempt 1 · 10:31:07", "▸ 5 steps")
			at := -1
			for _, want := range tc.want {
				i := strings.Index(s, want)
				if i <= at {
					t.Errorf("%q does not follow the text before it:\n%s", want, s)
				}
				at = i
			}
			if strings.Contains(s, "lines 1-") {
				t.Errorf("it must be scrolled:\n%s", s)
			}
		})
	}
}

// While a server starts, the page does not deny lines that it may still write, nor lines of an earlier process.
func TestServer_ConnectingWithoutStderr(t *testing.T) {
	b := newServerBench(t, weather())
	b.process(41207)
	b.steps(done, done, running)
	b.refresh(time.Second)
	s := b.screen(80, 24)
	b.sees(s, "stderr  process 41207 has written nothing yet")
	if strings.Contains(s, "Logs has") || strings.Contains(s, "nothing was written") {
		t.Errorf("there are no lines, and the server still runs:\n%s", s)
	}
	b.stderr("npm error 404 Not Found")
	b.refresh(time.Second)
	b.process(41208) // mcptea starts the server again
	b.st.Process.Started = serverNoon.Add(time.Minute)
	b.refresh(2 * time.Minute)
	b.sees(b.screen(80, 24), "stderr  process 41208 has written nothing yet; Logs has 1 earlier line")
}

// What the sentence says is not said again as evidence.
func TestServer_Failure_EvidenceRepeatsNoSentence(t *testing.T) {
	web := client.Target{URL: "https://example.com/mcp"}
	for _, tc := range []struct {
		name   string
		target client.Target
		err    error
		stderr []string
		want   []string
		absent []string
	}{
		{"the status", web, status(403, "no such plan"), nil, []string{"403 Forbidden"}, []string{"│ HTTP 403", "│ no such plan"}},
		{"a body with more", web, status(403, `{"error":"no such plan","plans":["`+strings.Repeat("tea ", 30)+`"]}`), nil, []string{"403 Forbidden", `│ {"error":"no such plan"`}, nil},
		{"the status alone", web, status(502, ""), nil, []string{"502 Bad Gateway"}, []string{"│ HTTP 502", "response  to"}},
		{"the only line of stderr", weather(), &stdio.ExitError{Code: 1, After: time.Second}, []string{"Error: no tea"}, []string{`"Error: no tea"`}, []string{"│ Error: no tea", "stderr  "}},
		{"one of two lines", weather(), &stdio.ExitError{Code: 1, After: time.Second}, []string{"boiling", "Error: no tea"}, []string{`"Error: no tea"`, "│ boiling"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := fails(t, tc.target, tc.err, tc.stderr...)
			s := b.screen(80, 24)
			b.sees(s, tc.want...)
			for _, absent := range tc.absent {
				if strings.Contains(s, absent) {
					t.Errorf("%q is there:\n%s", absent, s)
				}
			}
		})
	}
}

// A step that failed does not repeat the sentence.
func TestServer_Failure_StepRepeatsNoSentence(t *testing.T) {
	b := fails(t, client.Target{URL: "https://example.com/mcp"}, status(403, "no such plan"))
	b.st.Steps[3].Detail = b.st.Err.Error()
	b.refresh(time.Second)
	b.at.Press("space")
	s := b.screen(120, 40)
	b.sees(s, "▾ 5 steps", "HTTP 403 Forbidden")
	if n := strings.Count(s, "POST https://example.com/mcp returned 403"); n != 1 {
		t.Errorf("the refusal stands there %d times:\n%s", n, s)
	}
}

func TestServer_Failure_StepsUnfold(t *testing.T) {
	b := crashed(t)
	b.at.W, b.at.H = 80, 15
	b.sees(b.screen(80, 15), "▸ 5 steps")
	b.sees(b.screen(80, 30), "▸ 5 steps") // the sentence says what the steps end with
	b.at.Press("space")
	b.sees(b.screen(80, 15), "▾ 5 steps", "find command", "not reached", "command     node server.js --stdio")
	b.at.Press("space")
	b.sees(b.screen(80, 15), "▸ 5 steps", "Node.js cannot find")
	for h := 5; h <= 24; h++ { // what is above gives way to what is unfolded, or does not
		b.at.H = h
		b.screen(80, h)
		b.at.Press("space")
		b.sees(b.screen(80, h), "▾ 5 steps")
		b.at.Press("space")
		b.sees(b.screen(80, h), "exited with code 1")
	}
}

// What a step says is shown to its end where rows are left for it, and is cut where none are.
func TestServer_Failure_StepIsSaidToItsEnd(t *testing.T) {
	b := crashed(t)
	b.st.Steps[3].Detail = "initialize got no response: the server process exited with code 3 after 4 ms, before its first message"
	b.refresh(time.Second)
	b.at.Press("space")
	b.sees(b.screen(80, 40), "initialize got no response: the server", "before its first", " message  ")
	b.sees(b.screen(110, 40), "initialize got no response: the server process exited", "message  ")
	if s := b.screen(80, 20); strings.Contains(s, "before its first") || !strings.Contains(s, "…") {
		t.Error(s)
	}
}

func TestServer_Failure_OnlyNewestProcess(t *testing.T) {
	b := fails(t, weather(), &stdio.ExitError{Code: 1}, "first process")
	b.st.Process.Started = serverNoon.Add(2 * time.Second)
	b.s.Tap().Stderr(transport.Line{Time: serverNoon.Add(3 * time.Second), Text: "second process"})
	b.refresh(4 * time.Second)
	if s := b.screen(80, 15); strings.Contains(s, "first process") || !strings.Contains(s, "second process") {
		t.Error(s)
	}
}

func TestServer_Token_Typed(t *testing.T) {
	token := func(pasted string, typed ...string) (header, asked string) {
		b := fails(t, client.Target{URL: "https://example.com/mcp"}, status(401, ""))
		b.at.Press("f6")
		b.sees(b.screen(80, 15), "Access token", "in memory only")
		b.at.Press(typed...)
		if len(typed) > 0 {
			b.sees(b.screen(80, 15), strings.Repeat("•", len(typed)))
		}
		b.at.Screen.Field().Paste(pasted)
		asked = b.at.Press("enter")
		return b.s.Target().Header.Get("Authorization"), asked
	}
	for pasted, want := range map[string]string{"xy\n": "Bearer xy", "Authorization: bearer abc.def": "Bearer abc.def"} {
		if header, asked := token(pasted); header != want || asked != "say: restart" {
			t.Errorf("%q: sent %q, asked %q", pasted, header, asked)
		}
	}
	if header, _ := token("xy", "s", "3", "t"); header != "Bearer s3txy" {
		t.Errorf("sent %q", header)
	}
	if header, asked := token("two words"); header != "" || asked != "" {
		t.Errorf("sent %q, asked %q", header, asked)
	}
}

func TestServer_Token_OnlyFor401(t *testing.T) {
	b := fails(t, client.Target{URL: "https://example.com/mcp"}, status(403, ""))
	if asked := b.at.Press("f6"); asked != "" || b.at.Pane != app.Pane(b.p) {
		t.Errorf("e does %q", asked)
	}
}

func TestServer_Connecting_ExtendsTheTimeout(t *testing.T) {
	b := newServerBench(t, weather())
	b.steps(done, done, done, running)
	b.refresh(5400 * time.Millisecond)
	b.sees(b.screen(80, 15), "5.4 s, times out in 25 s")
	if asked := b.at.Press("+"); asked != "say: Nothing is pending." { // in this test
		t.Error("+ does not extend it: ", asked)
	}
}

// A page that has been painted reads no line of stderr again: many of them in a small window would take
// seconds for each key.
func TestServer_Failure_ReadsStderrOnce(t *testing.T) {
	painted := func(lines int) float64 {
		var all []string
		for i := range lines {
			all = append(all, fmt.Sprintf("notice: %d %s", i, strings.Repeat("word ", 20)))
		}
		b := fails(t, weather(), io.EOF, all...)
		b.sees(b.screen(60, 20), "stderr")
		return testing.AllocsPerRun(3, func() { b.screen(60, 20) })
	}
	if few, many := painted(20), painted(190); many > 3*few {
		t.Errorf("190 lines take %.0f allocations to paint, 20 lines %.0f", many, few)
	}
}
