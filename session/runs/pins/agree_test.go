package pins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/system"
	"mcptea/session/runs/script"
	"mcptea/session/session"
)

// The newest agreements are kept, in a file that only the user can read.
func TestAgreement_Kept(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := system.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	const maxAgreements = 1000
	path := filepath.Join(dir, "agreed-pins")
	number := func(i int) agreement {
		var hash [sha256.Size]byte
		copy(hash[:], fmt.Sprintf("%08d", i))
		return agreement(hex.EncodeToString(hash[:]))
	}
	if err := number(0).keep(); err != nil { // makes the directory
		t.Fatal(err)
	}
	var lines strings.Builder
	for i := range maxAgreements - 1 {
		fmt.Fprintln(&lines, number(i))
	}
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ add, kept, oldest int }{
		{maxAgreements - 1, maxAgreements, 0}, {maxAgreements - 1, maxAgreements, 0}, {maxAgreements, maxAgreements, 1}, {1, maxAgreements, 2},
	} {
		if err := number(tc.add).keep(); err != nil {
			t.Fatal(err)
		}
		file, _ := agreements()
		kept, err := file.Load()
		oldest := number(tc.oldest)
		if err != nil || len(kept) != tc.kept || kept[0] != string(oldest) {
			t.Errorf("after %d: %d are kept, the oldest is %s, %v", tc.add, len(kept), kept[0], err)
		}
	}
	if info, err := os.Stat(path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// An agreement is about what is sent, from one file: expectations may change.
func TestAgreement_Content(t *testing.T) {
	of := func(path, text string) (agreement, bool) {
		t.Helper()
		parsed, err := script.Parse(path, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p := &Pins{path: path, tools: parsed.Repeated}
		for _, x := range parsed.Exchanges() {
			one := &pin{exchange: x}
			one.Outside = x.Outside()
			_, tool := x.Call()
			one.Repeated = slices.Contains(p.tools, tool)
			p.pins = append(p.pins, one)
		}
		a := p.agreement()
		return a, a != ""
	}
	text := "# a\nread x://{{env.TOKEN}}\nexpect {}\n# b\ncall t @args\nexpect {\"a\":1}\n# c\ncall t {\"x\":1}\nexpect {}\n-- args --\n{\"k\":\"{{env.KEY}}\"}\n"
	base, needed := of("/p/mcptea.txtar", text)
	if !needed {
		t.Fatal("it needs no agreement")
	}
	for change, same := range map[string]bool{
		"": true, "expect {\"a\":1}=>expect {\"a\":2}": true, "{\"x\":1}=>{\"x\":2}": true, "# a=># other": true,
		"env.TOKEN=>env.OTHER": false, "x://=>y://": false, "\"k\"=>\"l\"": false, "env.KEY=>env.HOME": false, "call t @args=>call u @args": false, "{\"x\":1}=>{\"x\":\"{{env.HOME}}\"}": false,
	} {
		before, after, _ := strings.Cut(change, "=>")
		if got, _ := of("/p/mcptea.txtar", strings.Replace(text, before, after, 1)); (got == base) != same {
			t.Errorf("%s: the agreement is the same: %t", change, got == base)
		}
	}
	if got, _ := of("/q/mcptea.txtar", text); got == base {
		t.Error("a file in another directory has the same agreement")
	}
	if _, needed := of("/p/mcptea.txtar", "# a\nread x://plain\nexpect {}\n"); needed {
		t.Error("a request that takes nothing from outside needs an agreement")
	}
	// What runs by itself needs one, and another when what it sends has changed.
	const plain = "# a\ncall t {\"x\":1}\nexpect {}\n"
	if _, needed := of("/p/mcptea.txtar", plain); needed {
		t.Error("a call that runs when it is chosen needs an agreement")
	}
	repeated, needed := of("/p/mcptea.txtar", "# after each restart: t\n"+plain)
	if !needed {
		t.Error("a call that runs by itself needs no agreement")
	}
	if got, _ := of("/p/mcptea.txtar", "# after each restart: t\n"+strings.Replace(plain, "1", "2", 1)); got == repeated {
		t.Error("another call that runs by itself has the same agreement")
	}
}

// A decision about a question that another one has replaced starts nothing, and takes
// nothing from what the user has agreed to since.
func TestDecide_ReplacedQuestion(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s, err := session.Open(session.Config{Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	p := New(t.Context(), s, filepath.Join(t.TempDir(), "mcptea.txtar"))
	ask := func(text string) *Question {
		parsed, err := script.Parse(p.path, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.pins, p.question = nil, nil
		var pins []Pin
		for _, x := range parsed.Exchanges() {
			one := &pin{exchange: x}
			one.Name, one.Outside = x.Name, x.Outside()
			p.pins, pins = append(p.pins, one), append(pins, one.Pin)
		}
		p.ask(pins, true)
		return p.question
	}
	before := ask("# a\nread x://{{env.BEFORE}}\nexpect {}\n")
	after := ask("# a\nread x://{{env.AFTER}}\nexpect {}\n")
	if before == nil || after == nil {
		t.Fatal("the user is not asked")
	}
	if err := p.Decide(after, true); err != nil || !p.hasAgreed() {
		t.Fatalf("agreed: %v, %v", p.hasAgreed(), err)
	}
	p.Wait() // the pending run reads the file again, and must not do that below
	if err := p.Decide(before, true); err != nil || !p.hasAgreed() || p.agreed != after.agreement || before.agreement.isKept() {
		t.Errorf("the late decision counts: %v, kept %v", err, before.agreement.isKept())
	}
	p.agreed = ""
	if q := ask("# a\nread x://{{env.BEFORE}}\nexpect {}\n"); q == nil || p.hasAgreed() {
		t.Error("the user is not asked about a file that changed back")
	} else if err := p.Decide(q, false); err != nil || p.hasAgreed() || q.agreement.isKept() {
		t.Errorf("a declined question counts as agreed, %v", err)
	}
}

// What is said of when a call runs is what decides it, also of methods that no file can name.
func TestWaits(t *testing.T) {
	for _, c := range []struct {
		one        Pin
		waits      string
		repeatable bool
	}{
		{Pin{Method: "tools/call", Subject: "hello"}, "not declared read-only", true},
		{Pin{Method: "tools/call", Subject: "hello", Repeated: true}, "", true},
		{Pin{Method: "tools/call", Subject: "hello", ReadOnly: true}, "", false},
		{Pin{Method: "tools/call", Subject: "two\nlines"}, "not declared read-only", false},
		{Pin{Method: "logging/setLevel"}, "does not only read", false},
		{Pin{Method: "prompts/get", Subject: "p", ReadOnly: true}, "", false},
	} {
		if waits := c.one.Waits(); waits != c.waits || c.one.Repeatable() != c.repeatable {
			t.Errorf("%s %q: %q, %v", c.one.Method, c.one.Subject, waits, c.one.Repeatable())
		}
	}
}
