package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxInit bounds the bytes that the initialization of one package allocates, and
// exceptions are the packages that allocate more: every command pays for them at
// every start. Allocations are the same in each run, and durations are not.
const maxInit = 128 << 10

var exceptions = map[string]int{
	"github.com/santhosh-tekuri/jsonschema/v6": 2 << 20,   // compiles the metaschemas of five drafts in init
	"github.com/yuin/goldmark/util":            160 << 10, // the table of HTML entities
	"github.com/itchyny/gojq":                  256 << 10, // the functions of jq
}

// maxInits is for all packages together, the exceptions left out. A third of it are
// those of OpenTelemetry, gRPC and the MCP SDK, which allocate up to 50 kB more in some
// runs.
const maxInits = 1152 << 10

func TestInit_AllocatesLittle(t *testing.T) {
	cmd := exec.Command(program(t), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	total, seen := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, (\d+) allocs$`).FindAllStringSubmatch(trace.String(), -1) {
		seen++
		bytes, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if most, ok := exceptions[m[1]]; ok {
			if bytes > most {
				t.Errorf("initialization of %s allocates %d bytes, more than %d", m[1], bytes, most)
			}
			continue
		}
		total += bytes
		if bytes > maxInit {
			t.Errorf("initialization of %s allocates %d bytes in %s allocations, more than %d: prepare at the first use what not every command needs (sync.OnceValue, internal/lazyregexp)",
				m[1], bytes, m[3], maxInit)
		}
	}
	if seen < 20 {
		t.Fatalf("%d packages are in the trace:\n%s", seen, trace.String())
	}
	if total > maxInits {
		t.Errorf("initialization allocates %d bytes, more than %d:\n%s", total, maxInits, trace.String())
	}
}
