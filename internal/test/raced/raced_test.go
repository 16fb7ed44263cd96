package raced_test

import (
	"testing"

	"mcptea/internal/test/raced"
)

// skipping records what a test is told, which would end here.
type skipping struct {
	testing.TB
	skipped, failed string
}

func (s *skipping) Helper()           {}
func (s *skipping) Skip(args ...any)  { s.skipped, _ = args[0].(string) }
func (s *skipping) Fatal(args ...any) { s.failed, _ = args[0].(string) }

func TestRaced_TestSaysWhy(t *testing.T) {
	for variable, byNight := range map[string]bool{"": false, "all": true} {
		t.Setenv(raced.Variable, variable)
		var never, night skipping
		raced.Never(&never, "measures memory")
		raced.ByNight(&night, "hundreds of commands")
		if raced.Enabled != (never.skipped == "never raced: measures memory") || never.failed != "" {
			t.Errorf("%s=%s: Never: %+v", raced.Variable, variable, never)
		}
		if (raced.Enabled && !byNight) != (night.skipped == "raced only with MCPTEA_RACE=all: hundreds of commands") || night.failed != "" {
			t.Errorf("%s=%s: ByNight: %+v", raced.Variable, variable, night)
		}
		for name, want := range map[string]bool{"race": raced.Enabled, "race_by_day": raced.Enabled && !byNight} {
			if got, err := raced.Condition(name); got != want || err != nil {
				t.Errorf("%s=%s: [%s] is %t, %v", raced.Variable, variable, name, got, err)
			}
		}
	}
	if _, err := raced.Condition("races"); err == nil {
		t.Error("an unknown condition is accepted")
	}
	for _, call := range []func(testing.TB, string){raced.Never, raced.ByNight} {
		var s skipping
		if call(&s, ""); s.failed == "" {
			t.Error("a reason is not required")
		}
	}
}
