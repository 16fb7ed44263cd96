//go:build unix

package failure_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/record/store"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// ending is a server that connects and then ends.
type ending struct {
	broken
	call bool   // it ends during a call
	sent string // a frame that it ends of
	// stopped says that mcptea ends it.
	stopped bool
	row     string // its row in Traffic
}

// during does the handshake, and something else when a tool is called.
func during(crash func()) func() {
	return func() {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			e := jsonrpc.Scan(in.Bytes())
			id := e.ID.Of(in.Bytes()).String()
			switch e.MethodName(in.Bytes()) {
			case "server/discover":
				fmt.Println(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"no"}}`)
			case "initialize":
				fmt.Println(result(id, welcome))
			case "tools/call":
				crash()
			}
		}
	}
}

// untilUnreadable does the handshake, and something else at a line that is no message.
func untilUnreadable(crash func()) func() {
	return func() {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			e := jsonrpc.Scan(in.Bytes())
			id := e.ID.Of(in.Bytes()).String()
			switch {
			case e.Kind == jsonrpc.Invalid:
				crash()
			case e.HasMethod(in.Bytes(), "server/discover"):
				fmt.Println(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"no"}}`)
			case e.HasMethod(in.Bytes(), "initialize"):
				fmt.Println(result(id, welcome))
			}
		}
	}
}

var endings = func() []ending {
	all := []ending{
		{broken: broken{
			name: "idle, with an error", child: onlyThen(dies(1, "Error: lost connection to database")),
			sentence: `The server process exited by itself with code 1, ⋯ after the last response; no request was pending: it reports "Error: lost connection to database".`,
			try:      "Fix the error shown on stderr.",
		}, row: "process exited  code 1 after ⋯  Error: lost connection to database"},
		{broken: broken{
			name: "idle, without a word", child: onlyThen(dies(7)),
			sentence: "The server process exited by itself with code 7, ⋯ after the last response; no request was pending.",
			cause:    "It wrote no reason to stderr.", try: "Start the server with its debug option and wait as long.",
		}, row: "process exited  code 7 after ⋯"},
		{broken: broken{
			name: "idle, normally", child: onlyThen(dies(0)),
			sentence: "The server process exited by itself with code 0, ⋯ after the last response; no request was pending.",
			cause:    "It may have finished normally: because it was idle, or because its work was done.", try: "Look in the server for a timeout,",
		}, row: "process exited  code 0 after ⋯"},
		{broken: broken{
			name: "idle, by a signal", child: onlyThen(kills(syscall.SIGKILL)),
			sentence: "The server process was terminated by SIGKILL, ⋯ after the last response; no request was pending.",
			cause:    "The out-of-memory killer", try: "Search the system log",
		}, row: "process exited  SIGKILL after ⋯"},
		{broken: broken{
			name: "idle, for a known reason", child: onlyThen(dies(1, "Error: BRAVE_API_KEY environment variable is required")),
			sentence: `The server process exited by itself with code 1, ⋯ after the last response; no request was pending: it reports "Error: BRAVE_API_KEY environment variable is required".`,
			cause:    `The server needs the environment variable "BRAVE_API_KEY".`, try: "Set it: -e BRAVE_API_KEY=VALUE",
		}, row: "process exited  code 1 after ⋯"},
		{broken: broken{
			name: "of a frame, with an error", child: untilUnreadable(dies(1, "json.decoder.JSONDecodeError: Expecting value")),
			sentence: `The server process exited with code 1, ⋯ after the newest frame was sent to it; no request was pending: it reports "json.decoder.JSONDecodeError: Expecting value".`,
			try:      "Fix the error shown on stderr.",
		}, sent: `{"jsonrpc":"2.0","id":7,`, row: "process exited  code 1 after ⋯  json.decoder.JSONDecodeError: Expecting value"},
		{broken: broken{
			name: "of a frame, without a word", child: untilUnreadable(dies(0)),
			sentence: "The server process exited with code 0, ⋯ after the newest frame was sent to it; no request was pending.",
			cause:    "It wrote no reason to stderr.", try: "Start the server with its debug option and send the frame again.",
		}, sent: `{"jsonrpc":"2.0","id":7,`, row: "process exited  code 0 after ⋯"},
		{broken: broken{
			name: "in a call, with an error", child: during(dies(2, "panic: nil map")),
			sentence: `The server process exited with code 2 after ⋯, while a request was pending: it reports "panic: nil map".`,
			try:      "Fix the error shown on stderr, or start the server with its debug option and repeat the call.",
		}, call: true, row: "process exited  code 2 after ⋯  panic: nil map"},
		{broken: broken{
			name: "in a call, without a word", child: during(dies(2)),
			sentence: "The server process exited with code 2 after ⋯, while a request was pending, without an error message.",
			try:      "Start the server with its debug option and repeat the call.",
		}, call: true, row: "process exited  code 2 after ⋯"},
		{broken: broken{
			name: "in a call, normally", child: during(dies(0)),
			sentence: "The server process exited with code 0 after ⋯, while a request was pending.",
			cause:    "It may have finished normally, although a response was due.", try: "Look in the server for code that ends the process.",
		}, call: true, row: "process exited  code 0 after ⋯"},
		{broken: broken{
			name: "in a call, by a signal", child: during(kills(syscall.SIGTERM)),
			sentence: "The server process was terminated by SIGTERM after ⋯, while a request was pending.",
			cause:    "Another process may have terminated it: a supervisor, a closed shell, or another client.", try: "Reconnect, and check what manages the process.",
		}, call: true, row: "process exited  SIGTERM after ⋯"},
		{broken: broken{name: "stopped by mcptea", child: during(dies(1))}, stopped: true, row: "process stopped by the client  code 0 after ⋯"},
	}
	for _, e := range all {
		register([]broken{e.broken})
	}
	return all
}()

// How a server ended is said by what was pending then, and its row in Traffic has its
// last words.
func TestEndings(t *testing.T) {
	for _, tt := range endings {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := session.Open(session.Config{
				Target: self(t, tt.name), Record: "off",
				Client: client.Config{Name: "test", Version: "0", ConnectTimeout: time.Minute, Timeout: time.Minute},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.Background())
			changed, unsubscribe := s.Store().Subscribe()
			defer unsubscribe()
			if err := s.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			if tt.stopped {
				s.Disconnect(context.Background())
			} else {
				if tt.sent != "" {
					s.StartFrame([]byte(tt.sent))
				}
				if tt.call {
					s.Start("tools/call", []byte(`{"name":"echo"}`))
				}
				for deadline := time.After(time.Minute); s.State().Phase != session.Ended; {
					select {
					case <-changed:
					case <-deadline:
						t.Fatal("it does not end")
					}
				}
				tt.check(t, failure.Explain(s.State().Err, failure.FactsOf(s)))
			}
			rows := s.Store().Snapshot().Rows
			for i := range rows {
				if r, _ := s.Store().Row(int32(i)); r.Kind == store.KindProcess {
					if text, _ := s.Store().Head(int32(i), 1000); !pattern(tt.row, true).Match(text) {
						t.Errorf("the row is %q, want %q", text, tt.row)
					}
					return
				}
			}
			t.Errorf("no row of %d is of the end", rows)
		})
	}
}
