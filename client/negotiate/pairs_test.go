package negotiate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcptea/client/transport"
)

// failures returns an event for each way in which an HTTP request can fail.
func failures() []string {
	all := []string{
		"timeout", "network", "tls", "exit 1", "invalid is not JSON", "unsolicited", "200 network", "200 timeout", "202 network", "202 accepted",
		"401 unauthorized no metadata", "403 unauthorized no metadata", "403 body not you", "429 retry-after 1h", "503 retry-after 3s", "500 body <html>", "500 network",
	}
	for status := 201; status < 600; status++ {
		all = append(all, fmt.Sprint(status))
	}
	for _, code := range []int{-32700, -32603, -32602, -32601, -32600, -32022, -32021, -32020, -32001, -32000, 0, 401} {
		for _, status := range []int{200, 400, 401, 403, 404, 429, 500, 503} {
			all = append(all, fmt.Sprintf("%d error %d no", status, code), fmt.Sprintf("%d no-id %d no", status, code))
		}
	}
	return slices.DeleteFunc(all, func(words string) bool { return strings.HasPrefix(words, "200 no-id") }) // not an HTTP error
}

// connect plays a server that speaks initialize, and answers the probes as given.
func connect(t *testing.T, options, discover, list string) (a Action, tried []ActionKind) {
	t.Helper()
	m := New(configure(t, Config{CanRestart: true}, options))
	for a = m.Start(); a.Kind != Ready && a.Kind != Fail; {
		tried = append(tried, a.Kind)
		words := map[ActionKind]string{
			SendDiscover: discover, SendToolsList: list, SendInitialize: `result {"protocolVersion":"2025-11-25","capabilities":{}}`, SendInitialized: "sent",
		}[a.Kind]
		if words == "" || len(tried) > 10 {
			t.Fatalf("%s, %s: %v", discover, list, tried)
		}
		a = m.Next(parseEvent(t, words))
	}
	return a, tried
}

// A server that has refused server/discover and speaks initialize is connected to, whatever
// the second probe gets.
func TestMachine_AnyAnswersToProbes(t *testing.T) {
	refusals := map[string][]string{
		"": {
			"error -32601 no", "error -32602 no", "error -32600 no", "error -32603 no", "error -32000 no", "error 0 no", "error -32022 no {\"supported\":[\"2025-11-25\"]}",
			"result {}", `result {"supportedVersions":["2025-11-25"]}`, "invalid is not JSON", "timeout", "unsolicited", "exit 1",
		},
		"http": {
			"404 error -32601 no", "404 no-id -32601 no", "404 error -32000 no", "400 error -32601 no", "200 error -32601 no", "501 error -32601 no", "timeout",
			"400", "404", "405", "406", "415", "422", "501", "404 body <html>", "200 result {}",
		},
	}
	listed := 0
	for options, firsts := range refusals {
		for _, first := range firsts {
			for _, second := range append(failures(), `200 result {"tools":[]}`, "200 result {}") {
				a, tried := connect(t, options, first, second)
				if a.Kind != Ready || !a.Outcome.Revision.HasHandshake() {
					t.Errorf("server/discover: %s; tools/list: %s: %s %v after %v", first, second, a.Kind, a.Err, tried)
				}
				if slices.Contains(tried, SendToolsList) {
					listed++
				}
			}
		}
	}
	if want := 2 * (len(failures()) + 2); listed != want { // 404 with -32601, with and without an id
		t.Errorf("tools/list was sent in %d conversations, want %d", listed, want)
	}
}

// A server that speaks initialize is connected to, whatever it returns for server/discover, except for what
// requires authorization, or what a server of 2026-07-28 returns.
func TestMachine_AnyAnswerToDiscover(t *testing.T) {
	ends := []string{"tls", "dial", "exit 1", "401", "401 unauthorized no metadata", "403 unauthorized no metadata"}
	firsts := append(failures(), "dial", "502 body <!DOCTYPE html>", "200 result []", "204", "302", "307", "410", "451", "530")
	for _, first := range firsts {
		if strings.HasPrefix(first, "401 ") && !slices.Contains(ends, first) {
			ends = append(ends, first) // whatever its body
		}
		if words := strings.Fields(first); len(words) > 2 && slices.Contains([]string{"-32020", "-32021", "-32022"}, words[2]) {
			continue
		}
		for _, again := range []bool{false, true} { // what is busy is tried three times
			m := New(configure(t, Config{}, "http"))
			sent := map[ActionKind]int{}
			var a Action
			for a = m.Start(); a.Kind == SendDiscover; a = m.Next(parseEvent(t, first)) {
				sent[a.Kind]++
			}
			if slices.Contains(ends, first) {
				if a.Kind != Fail {
					t.Errorf("server/discover: %s: %s", first, a.Kind)
				}
				continue
			}
			if a.Kind == SendToolsList {
				a = m.Next(parseEvent(t, "500"))
			}
			if a.Kind != SendInitialize {
				t.Errorf("server/discover: %s: %s %v", first, a.Kind, a.Err)
				continue
			}
			answer := `result {"protocolVersion":"2025-11-25","capabilities":{}}`
			if again { // one that fails itself ends, and is not waited for a second time
				answer = first
			}
			for ; a.Kind == SendInitialize; a = m.Next(parseEvent(t, answer)) {
				sent[a.Kind]++
			}
			switch d := m.Detection(); {
			case again && (sent[SendDiscover] > 1 && sent[SendInitialize] != 1 || sent[SendDiscover]+sent[SendInitialize] > 2+maxRetries):
				t.Errorf("server/discover and initialize: %s: sent %v", first, sent)
			case !again && a.Kind != SendInitialized:
				t.Errorf("server/discover: %s: %s %v", first, a.Kind, a.Err)
			case !again:
				if m.Next(parseEvent(t, "sent")); m.Detection().Era.String() != "handshake" {
					t.Errorf("server/discover: %s: %+v", first, d)
				}
			}
		}
	}
}

// A sign-in that has failed after the user took part in it is not begun a second time.
func TestMachine_SignInEndedAtToolsList(t *testing.T) {
	m := New(Config{Transport: AnyHTTP})
	m.Start()
	m.Next(parseEvent(t, "404 error -32601 no"))
	e := parseEvent(t, "401 unauthorized access_denied")
	e.Err.(*transport.AuthorizationError).Err = fmt.Errorf("%w: access_denied", transport.ErrSignInEnded)
	if a := m.Next(e); a.Kind != Fail || !errors.Is(a.Err, e.Err) {
		t.Errorf("%s: %v", a.Kind, a.Err)
	}
}
