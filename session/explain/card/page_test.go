package card

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mcptea/session/lint"
)

var update = flag.Bool("update", false, "rewrite the pages of docs")

// families are the letters of the rules' ids, in words.
var families = []struct{ letter, title string }{
	{"J", "The envelope: JSON-RPC 2.0 as MCP narrows it"},
	{"B", "Batches"},
	{"K", "stdio: framing and process"},
	{"L", "Handshake, revisions and their end"},
	{"C", "Capabilities"},
	{"T", "Tools"},
	{"S", "Schemas, content, and what servers ask of clients"},
	{"R", "Resources and roots"},
	{"P", "Prompts and completion"},
	{"N", "Notifications: progress, cancelling, logging, pages"},
	{"M", "_meta"},
	{"H", "HTTP"},
	{"E", "Error codes"},
	{"X", "What 2026-07-28 has brought: rounds of input, subscriptions, caching, tasks, extensions"},
	{"A", "Authorization"},
	{"Y", "What a text does to a terminal and to who reads it"},
}

const pageOfRules = "../../../docs/rules.md"

// The page of the documentation says of each rule what the program says of it.
func TestThePageOfRulesIsCurrent(t *testing.T) {
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
	all := lint.Catalogue()
	fmt.Fprintf(&b, "# The rules\n\n")
	fmt.Fprintf(&b, "mcptea holds each frame against these %d rules: as it crosses the wire (tab **8** Problems), in what was\n", len(all))
	b.WriteString("recorded (`mcptea lint FILE`), and one by one in words (`mcptea explain J030`). An **error** breaks a MUST or cannot\n")
	b.WriteString("work, a **warn** breaks a SHOULD or works by luck, an **info** is worth knowing. `--mute RULE` leaves one out, and\n")
	b.WriteString("`mute: [RULE, …]` in the file of settings does so for good. An ellipsis stands for what a finding names. Where a rule\n")
	b.WriteString("cannot see everything, or is judged otherwise than its source does, a remark says so.\n\n")
	b.WriteString("The basis of a rule is **spec** (the text of a specification decides), **schema** (a schema decides, that of the\n")
	b.WriteString("revision or one of the server's own) or **heuristic** (wording, timing or a likeness decides; such a rule can be\n")
	b.WriteString("wrong). `--no-heuristics` leaves out the last kind.\n")
	told := 0
	for _, f := range families {
		fmt.Fprintf(&b, "\n## %s — %s\n", f.letter, f.title)
		for i := range all {
			if e := &all[i]; e.Family() == f.letter {
				writeRule(&b, e)
				told++
			}
		}
	}
	if told != len(all) {
		t.Errorf("%d rules have a family with a title, of %d", told, len(all))
	}
	return b.Bytes()
}

func writeRule(b *bytes.Buffer, e *lint.Entry) {
	c := OfRule(e)
	facts := map[string]string{}
	for _, f := range c.Facts {
		facts[f.Label] = markdown(f.Text)
	}
	fmt.Fprintf(b, "\n### %s %s\n\n", e.ID, e.Slug)
	fmt.Fprintf(b, "**%s** · %s · fault: %s · %s · %s\n\n", facts["severity"], e.Basis, facts["fault"], facts["revisions"], facts["source"])
	fmt.Fprintf(b, "- Fires when %s\n- Says: %s\n- Do: %s\n", facts["fires when"], facts["says"], markdown(c.Check))
	if r := facts["remark"]; r != "" {
		fmt.Fprintf(b, "- Remark: %s\n", r)
	}
}

// markdown keeps what a text holds from being taken for marks.
func markdown(text string) string {
	return strings.NewReplacer("*", "\\*", "_", "\\_", "<", "&lt;", "`", "\\`").Replace(text)
}
