package directory_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/client"
)

// TestDirectory_Challenge compares what the origin of a server serves, and shows neither text.
func TestDirectory_Challenge(t *testing.T) {
	body, status := "", http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/openai-apps-challenge" || r.URL.RawQuery != "" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		w.Header().Set("Location", "https://example.com/")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer s.Close()
	for _, c := range []struct {
		body    string
		status  int
		token   string
		verdict probe.Verdict
		says    string
	}{
		{"secret-token\n", 200, "secret-token", probe.Pass, ""},
		{"other-token", 200, "secret-token", probe.Fail, "serves another text than the token, of 11 bytes in place of 12."},
		{"secret-token", 302, "secret-token", probe.Fail, "returned 302 Found."},
		{"", 404, "secret-token", probe.Fail, "returned 404 Not Found."},
		{"secret-token", 200, "", probe.Skipped, "by hand: "},
	} {
		body, status = c.body, c.status
		subject := directory.Subject{Server: server(), URL: s.URL + "/mcp?key=1"}
		if c.token != "" {
			subject.Challenge = directory.FetchChallenge(t.Context(), client.Target{URL: strings.Replace(subject.URL, "://", "://user:pass@", 1)}, c.token)
		}
		r := find(t, directory.Judge(subject, []string{"openai"}), "DIR-12")
		text := r.Why()
		if len(r.Findings) > 0 {
			text = r.Findings[0].Message
		}
		if r.Verdict != c.verdict || !strings.Contains(text, c.says) || strings.Contains(text, "secret-") {
			t.Errorf("%q, %d, token %q: %s %s", c.body, c.status, c.token, r.Verdict, text)
		}
	}
	s.Close()
	gone := directory.Subject{Server: server(), URL: s.URL, Challenge: directory.FetchChallenge(t.Context(), client.Target{URL: s.URL}, "secret-token")}
	if r := find(t, directory.Judge(gone, []string{"openai"}), "DIR-12"); r.Verdict != probe.Failure || !strings.Contains(r.Why(), "there is no response") {
		t.Errorf("no server: %s %s", r.Verdict, r.Why())
	}
}

// TestDirectory_Submission_IncompleteList: a file about some tools would be taken for one about all.
func TestDirectory_Submission_IncompleteList(t *testing.T) {
	s := server(`{"name":"a"}`)
	s.Lists["tools"].Problem = "an error on page 3"
	var out strings.Builder
	if err := directory.WriteSubmission(&out, s); err == nil || out.Len() > 0 {
		t.Errorf("%v: %s", err, out.String())
	}
}
