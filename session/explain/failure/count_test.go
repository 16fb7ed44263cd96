package failure

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/catalog"
)

// certain maps a place to the reason why no fact contradicts its rows: what they rest on is certain, or is
// looked at where they are.
var certain = map[string]string{
	"stderr": "words of a program about itself", "stray": "words of a program about itself", "listening": "words of the server about itself", "source": "an error with its place in the source",
	"start": "the error of a system call", "network": "the error of a system call, or of TLS", "limit": "the error of a system call",
	"signal": "the signal", "exit": "the exit code", "exit-detail": "the exit code and stderr", "stdout": "the bytes of a line", "invalid": "the bytes of a response", "wrong-id": "two ids", "moment": "no cause",
	"version": "two lists of versions", "task": "the state of a task", "token": "the answer of the authorization server, and the token store", "stored-token": "the token store",
	"stopped": "the state of the process", "stdin": "the state of the process", "changed": "an act of mcptea", "echo": "the bytes of two messages", "other-name": "two origins",
	"error": "what mcptea has found in a message", "experiment": "two responses", "tool-error": "words of a library", "error-sentence": "no cause", "message": "words of the peer", "unfilled": "a value that was sent", "named": "what was sent, and words of the peer", "who": "the form of a message",
}

// A cause that rests on a status, a code or silence needs a fact that can contradict it: a condition of its own,
// or one of [against].
func TestRows_HaveAFactThatContradictsThem(t *testing.T) {
	without := map[string][]string{}
	total := 0
	for _, r := range catalog.Read[row](failuresText) {
		if r.Cause == "" {
			continue
		}
		total++
		if len(r.Unless) > 0 || slices.Contains(slices.Collect(maps.Values(r.When)), "") {
			continue
		}
		if slices.ContainsFunc(against, func(c struct {
			name  string
			facts situation
			claim string
			only  string
		},
		) bool {
			return regexp.MustCompile(c.claim).MatchString(string(r.Cause)+"\n"+string(r.Try)) && (c.only == "" || slices.Contains(strings.Split(c.only, "|"), r.Where))
		}) {
			continue
		}
		without[r.Where] = append(without[r.Where], r.ID)
	}
	n, open := 0, 0
	for _, place := range slices.Sorted(maps.Keys(without)) {
		n += len(without[place])
		if certain[place] == "" {
			open += len(without[place])
			t.Logf("%s: %s", place, strings.Join(without[place], " "))
		}
	}
	t.Logf("%d rows with a cause; %d without a fact against them, %d of those where a status, a code or silence is all that is known", total, n, open)
	const most = 60
	if open > most {
		t.Errorf("%d rows rest on a status, a code or silence, and no fact contradicts them; at most %d may", open, most)
	}
}
