package raced

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// named are the tests of [Also].
var named []string

// Also names tests of a package that leaves its other tests to the night ([OthersByNight]), or out
// ([OthersNever]). It is called where a file of tests declares its variables:
//
//	var _ = raced.Also(TestSessions_Taps)
func Also(tests ...func(*testing.T)) struct{} {
	for _, test := range tests {
		name := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
		named = append(named, name[strings.LastIndexByte(name, '.')+1:])
	}
	return struct{}{}
}

// OthersByNight leaves out, in a binary with the race detector, all tests but those of [Also], unless
// [Variable] demands all. TestMain calls it before the tests run. Tests that the user has named with
// -run are run.
func OthersByNight(why string) {
	others(byDay(), fmt.Sprintf("the others with %s=all", Variable), why)
}

// OthersNever is [OthersByNight] for tests that are not raced by night either.
func OthersNever(why string) {
	others(Enabled, "the others never", why)
}

func others(out bool, what, why string) {
	if why == "" || len(named) == 0 {
		panic("raced: the reason is missing, or no test is raced")
	}
	if !flag.Parsed() {
		flag.Parse()
	}
	if run := flag.Lookup("test.run"); out && run.Value.String() == "" {
		if err := run.Value.Set("^(" + strings.Join(named, "|") + ")$"); err != nil {
			panic(err)
		}
		fmt.Fprintf(os.Stderr, "%d tests are raced, %s: %s\n", len(named), what, why)
	}
}
