package failure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/internal/catalog"
)

// Each row can be found, and its conditions and holes are facts that the code provides.
func TestRows(t *testing.T) {
	files, err := filepath.Glob("../fa*/*.go") // of the typed facts, too
	if err != nil {
		t.Fatal(err)
	}
	shown, err := filepath.Glob("../experiment/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, shown...)
	source := ""
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			source += string(text)
		}
	}
	seen := map[string]bool{}
	for _, r := range catalog.Read[row](failuresText) {
		if seen[r.ID] {
			t.Errorf("two rows have the id %s", r.ID)
		}
		seen[r.ID] = true
		names := []string{r.Where}
		for name, want := range r.When {
			names = append(names, name)
			if name == "is" && isError[want] == nil {
				t.Errorf("%s: the code knows no error %q", r.ID, want)
			}
		}
		for _, text := range []string{string(r.Sentence), string(r.What), string(r.Cause), string(r.Try)} {
			catalog.Fill(text, func(name string) string {
				names = append(names, name)
				return ""
			})
		}
		for _, name := range names {
			if !strings.Contains(source, `"`+name+`"`) {
				t.Errorf("%s: the code knows no %q", r.ID, name)
			}
		}
	}
}

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name, where string
		s           situation
		want        reason
	}{
		{"the first row", "moment", situation{"connected": true, "pending": true}, reason{what: "while a request was pending"}},
		{"a hole", "moment", situation{"method": "initialize"}, reason{what: "before responding to initialize"}},
		{"one of several values", "signal", situation{"signal": "SIGHUP"}, reason{Candidate: Candidate{
			Cause: "Another process may have terminated it: a supervisor, a closed shell, or another client.", Remedy: Remedy{"SIGTERM", "Reconnect, and check what manages the process.", ActionAgain, "", false},
		}}},
		{"texts of two rows", "status", situation{"returned": "GET x returned 410 Gone.", "status": 410}, reason{
			sentence: "GET x returned 410 Gone.", Candidate: Candidate{
				Cause: "The status says that the endpoint has been removed.", Remedy: Remedy{"410", "Look up its new URL in the server's documentation.", ActionURL, "", false}, Strength: Proves, Open: true,
			},
		}},
		{"braces in a value", "moment", situation{"method": "{method}"}, reason{what: "before responding to {method}"}},
		{"no row", "signal", situation{}, reason{}},
	} {
		got, ok := find(tt.where, tt.s)
		got.kind, got.hedged, got.subject = 0, false, subject{}
		if got != tt.want || ok != (tt.want != reason{}) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Each class of a failure below HTTP, also on the way to a proxy, has a cause and an advice.
func TestNetwork_EachReasonHasCauseAndTry(t *testing.T) {
	for _, reason := range []string{
		"dns", "refused", "unreachable", "lost", "not-tls", "tls-alert", "tls-version", "certificate", "not-http",
		"proxy-dns", "proxy-refused", "proxy-timeout", "proxy-status",
	} {
		s := situation{"reason": reason, "error": "x"}
		if reason == "not-http" {
			s["said"], s["lines"] = true, []string{"hello"}
		}
		why, ok := find("network", s)
		if !ok || why.Cause == "" || why.Remedy.Text == "" {
			t.Errorf("%s: cause %q, try %q", reason, why.Cause, why.Remedy.Text)
		}
		if strings.HasPrefix(reason, "proxy-") && (!strings.Contains(why.Cause, "proxy") || !strings.Contains(why.Remedy.Text, "NO_PROXY")) {
			t.Errorf("%s does not name the proxy: %s %s", reason, why.Cause, why.Remedy.Text)
		}
	}
}
