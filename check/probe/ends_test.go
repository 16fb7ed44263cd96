package probe

import (
	"strings"
	"testing"

	"mcptea/lint"
)

// What is known of an end decides whether it is told as the server's act, and once.
func TestEnding_Verdict(t *testing.T) {
	for _, tt := range []struct {
		name     string
		e        ending
		severity lint.Severity
		message  string // how it begins
		why      string
	}{
		{"the frame", ending{by: byFrame, severe: true}, lint.Error, "It ended after ping.", ""},
		{"the frame, which may", ending{by: byFrame}, lint.Warn, "It ended after ping.", ""},
		{"mcptea", ending{by: byMcptea, severe: true}, 0, "", "mcptea had closed the connection before ping was answered"},
		{"another connection", ending{by: byAnother, severe: true}, 0, "", becauseExclusive.Why},
		{"each of the method", ending{by: byMethod, probe: "P-021"}, 0, "", "each tools/list ends the server"},
		{"plain requests", ending{by: byPlain, plain: 7}, lint.Error, "The server ends the connection after 7 plain requests: initialize and pings.", ""},
		{"plain requests, told", ending{by: byPlain, plain: 7, told: true, probe: "P-021"}, 0, "", "the server ends the connection after 7 plain requests"},
		{"itself", ending{by: byItself, severe: true}, lint.Warn, "It ended while ping was the newest request. Sent again, alone, it does not end the server", ""},
		{"itself, told", ending{by: byItself, severe: true, told: true, probe: "P-021"}, 0, "", "a frame before it has ended the server, or the server ends by itself: when ping was sent again it did not"},
		{"not tried", ending{by: notAlone, severe: true}, 0, "", becauseLone("").Why},
		{"not repeated", ending{by: notRepeated, severe: true}, 0, "", "ping could not be sent again: no connection can be opened"},
	} {
		tt.e.name, tt.e.method, tt.e.how = "ping", "tools/list", func(when string) string { return "It ended " + when + "." }
		f, why := tt.e.verdict()
		switch {
		case (why != nil) != (tt.message == ""):
			t.Errorf("%s: %+v, %+v", tt.name, f, why)
		case why == nil && (f.Severity != tt.severity || !strings.HasPrefix(f.Message, tt.message)):
			t.Errorf("%s: %s %q", tt.name, f.Severity, f.Message)
		case why != nil && (why.Why != tt.why || tt.e.probe != "" && why.Probe != tt.e.probe):
			t.Errorf("%s: %+v", tt.name, why)
		}
	}
}
