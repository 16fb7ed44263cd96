package raced

import (
	"fmt"
	"os"
	"testing"
)

// Variable is the environment variable that has the value "all" if the tests of [ByNight] are raced, too, as
// set by .ci/race night.
const Variable = "MCPTEA_RACE"

// All reports whether [Variable] demands all tests.
func All() bool { return os.Getenv(Variable) == "all" }

// byDay reports whether this binary has the detector, and tests that take it long are left out.
func byDay() bool { return Enabled && !All() }

// Never skips a test in a binary with the race detector, where it would take long or measure something else.
// The reason is always required.
func Never(t testing.TB, why string) {
	t.Helper()
	leaveOut(t, Enabled, "never raced", why)
}

// ByNight skips a test in a binary with the race detector unless [Variable] requests all tests. The reason is
// always required.
func ByNight(t testing.TB, why string) {
	t.Helper()
	leaveOut(t, byDay(), "raced only with "+Variable+"=all", why)
}

func leaveOut(t testing.TB, out bool, what, why string) {
	t.Helper()
	if why == "" {
		t.Fatal(what + ": the reason is missing")
	}
	if out {
		t.Skip(what + ": " + why)
	}
}

// Condition evaluates conditions in scripts of testscript: [race] is true in a binary with the detector, and
// [race_by_day] if that binary skips the tests of [ByNight].
func Condition(name string) (bool, error) {
	switch name {
	case "race":
		return Enabled, nil
	case "race_by_day":
		return byDay(), nil
	}
	return false, fmt.Errorf("there is no condition %s", name)
}
