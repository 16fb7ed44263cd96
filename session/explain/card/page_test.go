package card_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mcptea/lint"
	"mcptea/lint/rules"
	"mcptea/session/explain/card"
)

var update = flag.Bool("update", false, "rewrite the pages of docs")

const pageOfRules = "../../../docs/rules.md"

// The page of the documentation says of each rule what the program says of it.
func TestCard_ThePageOfRulesIsCurrent(t *testing.T) {
	want := rulesPage(t)
	if *update {
		if err := os.WriteFile(pageOfRules, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(pageOfRules)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		t.Error("docs/rules.md is not what the rules say; go test ./session/explain/card -update writes it")
	}
}

func rulesPage(t *testing.T) []byte {
	var b bytes.Buffer
	all := rules.Catalogue()
	fmt.Fprintf(&b, "# Rules\n\n")
	fmt.Fprintf(&b, "mcptea checks each frame against these %d rules: live (tab **8** Problems), in a recording (`mcptea lint FILE`), and\n", len(all))
	b.WriteString("explains each of them (`mcptea explain J030`). An **error** violates a MUST or cannot work, a **warning** violates a SHOULD\n")
	b.WriteString("or does not work with every peer, an **info** violates nothing. `--mute RULE` leaves a rule out, and `mute: [RULE, …]` in\n")
	b.WriteString("the settings does so for all sessions. A word in capitals stands for a value of the finding.\n\n")
	b.WriteString("The basis of a rule is **spec** (the text of a specification decides), **schema** (a schema decides, that of the\n")
	b.WriteString("protocol version or one of the server) or **heuristic** (wording, timing or similarity decides; such a rule can be wrong).\n")
	b.WriteString("`--no-heuristics` leaves out the last kind.\n\n")
	b.WriteString("Below a rule are its severity, its basis, the responsible side, the protocol versions unless it holds in every one, and its source.\n")
	written := 0
	for _, f := range rules.Families() {
		fmt.Fprintf(&b, "\n## %s — %s\n", f.Letter, f.Title)
		for i := range all {
			if e := &all[i]; e.Family() == f.Letter {
				writeRule(&b, e)
				written++
			}
		}
	}
	if written != len(all) {
		t.Errorf("%d rules have a family with a title, of %d", written, len(all))
	}
	return b.Bytes()
}

func writeRule(b *bytes.Buffer, e *lint.Entry) {
	c, _ := card.Find(e.ID, card.Where{})
	facts := map[string]string{}
	for _, f := range c.Facts {
		facts[f.Label] = markdown(f.Text)
	}
	fmt.Fprintf(b, "\n### %s %s\n\n", e.ID, e.Slug)
	in := ""
	if facts["versions"] != "every version" {
		in = ", " + facts["versions"]
	}
	fmt.Fprintf(b, "**%s**, %s, %s%s; %s\n\n", facts["severity"], e.Basis, strings.TrimPrefix(facts["responsible"], "the "), in, facts["source"])
	fmt.Fprintf(b, "- When %s\n- Message: %s\n- Fix: %s\n", facts["fires when"], facts["message"], markdown(c.Check))
	for _, fix := range c.Or {
		fmt.Fprintf(b, "- Or: %s\n", markdown(fix))
	}
	if need := facts["needs"]; need != "" {
		fmt.Fprintf(b, "- Needs: %s\n", need)
	}
	if r := facts["remark"]; r != "" {
		fmt.Fprintf(b, "- Remark: %s\n", r)
	}
}

// markdown keeps what a text holds from being taken for marks.
func markdown(text string) string {
	return strings.NewReplacer("*", "\\*", "_", "\\_", "<", "&lt;", "`", "\\`").Replace(text)
}
