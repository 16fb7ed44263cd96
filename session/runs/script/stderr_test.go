package script

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
)

// stderrAfter runs a line of a script while the server writes lines to stderr, each after a time.
func stderrAfter(t *testing.T, line string, lines map[time.Duration]string) (failed string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := session.Open(session.Config{
			Target: client.Target{Argv: []string{"server"}}, Record: "off",
			Dial: sessiontest.Dial(sessiontest.Scripted(func(_, _ string) string { return "" })),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close(context.Background()) }()
		for after, text := range lines {
			time.AfterFunc(after, func() { s.Store().Line(transport.Line{Time: time.Now(), Text: text}) })
		}
		parsed, err := Parse("a.txtar", []byte(line+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		step := parsed.Sections[0].steps[0]
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		r := &run{s: s}
		if err := runStderr(ctx, r, step, step.words); err != nil {
			failed = err.Error()
		}
		time.Sleep(time.Minute) // the lines that come after the step
	})
	return failed
}

// "! stderr" passes only if no line matches that the server writes beside its response, however late it arrives.
func TestStderr_LateLine(t *testing.T) {
	const planted, matches = "panic: planted", "a line of stderr matches panic"
	for _, tt := range []struct {
		name  string
		lines map[time.Duration]string
		want  string
	}{
		{"nothing", nil, ""},
		{"immediately", map[time.Duration]string{0: planted}, matches},
		{"a moment later", map[time.Duration]string{20 * time.Millisecond: planted}, matches},
		{"below other lines", map[time.Duration]string{200 * time.Millisecond: "a", 400 * time.Millisecond: "b", 600 * time.Millisecond: planted}, matches},
		{"another line", map[time.Duration]string{10 * time.Millisecond: "listening"}, ""},
		{"of a later request", map[time.Duration]string{10 * time.Second: planted}, ""},
	} {
		if got := stderrAfter(t, "! stderr panic", tt.lines); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
