package relay

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// The page about a server that has ended while its host goes on asking names the cause. What the relay has refused
// meanwhile is a consequence, and no fault or breakpoint.
func TestRelay_PageOfAServerThatEnded(t *testing.T) {
	for name, whileDown := range map[string][]string{
		"nothing asked": nil,
		"calls":         {`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`},
		"a list":        {`{"jsonrpc":"2.0","id":"x","method":"tools/list"}`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.mcptea.jsonl")
			synctest.Test(t, func(t *testing.T) {
				g := unstartedRig(t)
				g.r.Record = func() (*store.Writer, error) {
					return store.NewWriter(store.Options{Path: path}, record.Header{Transport: "stdio", Target: "server"})
				}
				g.start(t)
				g.connected().die("exit status 1: SyntaxError: Unexpected token '='")
				synctest.Wait()
				for _, frame := range whileDown {
					g.sends(frame)
					g.hostGets(`"error"`, "SyntaxError")
				}
			})
			opened, err := session.OpenRecording(path, session.Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = opened.Close(t.Context()) }()
			if err := opened.Until(t.Context(), func() bool { return opened.State().Phase == session.Ended }); err != nil {
				t.Fatal(err)
			}
			e := failure.Explain(opened.State().Err, failure.FactsOf(opened))
			text := e.Sentence + "\n" + e.Cause() + "\n" + e.Try()
			for _, l := range e.Evidence {
				text += "\n" + l.Text
			}
			if !strings.Contains(text, "SyntaxError") || strings.Contains(text, "on purpose") || strings.Contains(text, "--fault") || strings.Contains(text, "there is no server") {
				t.Error(text)
			}
		})
	}
}
