package failure

import "testing"

// A line of source that Node shows above the error is no evidence.
func TestKnown_SourceIsNoEvidence(t *testing.T) {
	for _, word := range []string{`var e=["SIGABRT","SIGSEGV"]`, "m='JavaScript heap out of memory'", "m='EACCES: permission denied'", "m='address already in use'"} {
		lines := []string{"/srv/start.mjs:1", word + `;if(!k)throw new Error("TOKEN must be set");`, "             ^", "", "Error: TOKEN must be set", "    at file:///srv/start.mjs:1:60", "", "Node.js v20.20.2"}
		if why, ok := known(lines, "stderr"); ok {
			t.Errorf("%s: %+v", word, why)
		}
	}
}
