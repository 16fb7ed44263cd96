package pins

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/session"
	"mcptea/session/script"
)

// The newest agreements are kept, in a file that only the user can read.
func TestAgreement_Kept(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := session.StateDir()
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
		p := &Pins{path: path}
		for _, x := range parsed.Exchanges() {
			one := &pin{exchange: x}
			one.Outside = x.Outside()
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
}
