package directory_test

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/client"
)

// expect compares a report with a verdict and a part of its text.
func expect(t *testing.T, what string, r probe.Report, verdict probe.Verdict, contains string) {
	t.Helper()
	text := r.Why()
	if len(r.Findings) > 0 {
		text = r.Findings[0].Message
	}
	if r.Verdict != verdict || !strings.Contains(text, contains) || (contains == "") != (text == "") {
		t.Errorf("%s: %s %q, want %s %q", what, r.Verdict, text, verdict, contains)
	}
}

// Only a result that is too large is evidence: others may be larger.
func TestDirectory_Judge_ResultSizes(t *testing.T) {
	for _, c := range []struct {
		largest  map[string]int
		verdict  probe.Verdict
		contains string
	}{
		{nil, probe.Skipped, "; --only tools calls those"},
		{map[string]int{"a": 150_000}, probe.Skipped, "the largest result of the 1 tool that the check called has 150,000 characters"},
		{map[string]int{"a": 150_001, "b": 1}, probe.Warn, "1 tool with a result of more than 150,000 characters: a (150,001 characters)."},
	} {
		s := server(`{"name":"a"}`)
		s.Largest = c.largest
		expect(t, fmt.Sprint(c.largest), find(t, directory.Judge(directory.Subject{Server: s}, []string{"claude"}), "DIR-08"), c.verdict, c.contains)
	}
	expect(t, "no tools", find(t, directory.Judge(directory.Subject{Server: server()}, []string{"claude"}), "DIR-08"), probe.Skipped, "does not apply: the server has no tools")
}

func TestDirectory_Judge_AppDomains(t *testing.T) {
	for _, c := range []struct {
		name, tool, entry, content string
		verdict                    probe.Verdict
		contains                   string
	}{
		{"no app", `{"name":"a"}`, "", "", probe.Skipped, "does not apply: no tool has an app"},
		{"not read", app, "", "", probe.Skipped, "; --only apps reads them"},
		{"both", app, "", `{"domain":"a.test","csp":{}}`, probe.Skipped, "both are declared by the 1 app that the check read"},
		{"no domain", app, "", `{"csp":{}}`, probe.Warn, "1 resource of apps without a member of _meta.ui that is required: ui://a (domain)."},
		{"nothing", app, "", `0`, probe.Warn, "ui://a (domain, csp)."},
		{"in the list", app, `{"uri":"ui://a","_meta":{"ui":{"domain":"a.test","csp":{}}}}`, `0`, probe.Skipped, "both are declared"},
	} {
		s := server(c.tool)
		s.Lists[client.Resources.Name] = &probe.List{}
		if c.entry != "" {
			s.Lists[client.Resources.Name].Items = [][]byte{[]byte(c.entry)}
		}
		if c.content != "" {
			s.Documents = map[string][]byte{"ui://a": []byte(`{"contents":[{"uri":"ui://a","text":"","_meta":{"ui":` + c.content + `}}]}`)}
		}
		expect(t, c.name, find(t, directory.Judge(directory.Subject{Server: s}, []string{"openai"}), "DIR-17"), c.verdict, c.contains)
	}
}

const app = `{"name":"a","_meta":{"ui":{"resourceUri":"ui://a"}}}`

// skillOf is an entry of a skill with files of some sizes; the first is its SKILL.md.
func skillOf(name string, sizes ...int) []byte {
	var files []string
	for i, size := range sizes {
		file := "SKILL.md"
		if i > 0 {
			file = fmt.Sprint(i)
		}
		files = append(files, fmt.Sprintf(`{"uri":"skill://%s/%s","size":%d}`, name, file, size))
	}
	return []byte(`{"uri":"skill://` + name + `/SKILL.md","resources":[` + strings.Join(files, ",") + `]}`)
}

func TestDirectory_Judge_SkillSizes(t *testing.T) {
	six := [][]byte{skillOf("a", 1), skillOf("b", 1), skillOf("c", 1), skillOf("d", 1), skillOf("e", 1), skillOf("f", 1)}
	for _, c := range []struct {
		name     string
		items    [][]byte
		pages    int
		verdict  probe.Verdict
		contains string
	}{
		{"at the bounds", [][]byte{skillOf("a", 256<<10, 4<<20), skillOf("b", 1, 3<<20)}, 10, probe.Pass, ""},
		{"a large SKILL.md", [][]byte{skillOf("a", 256<<10+1)}, 1, probe.Warn, "skill://a/SKILL.md has 262,145 bytes"},
		{"a large skill", [][]byte{skillOf("a", 1, 5<<20)}, 1, probe.Warn, "the files of skill://a/SKILL.md have 5,242,881 bytes"},
		{"all", [][]byte{skillOf("a", 1, 4<<20), skillOf("b", 0, 4<<20)}, 1, probe.Warn, ": all files have 8,388,609 bytes."},
		{"six", six, 1, probe.Warn, "the list has 6 skills"},
		{"pages", six[:1], 11, probe.Warn, "the list has 11 pages"},
		{"dynamic", [][]byte{[]byte(`{"uri":"skill://a/SKILL.md","resources":"dynamic"}`)}, 1, probe.Skipped, "the sizes of these are not on the wire: skill://a/SKILL.md"},
		{"none", nil, 1, probe.Skipped, "does not apply: the list of skills is empty"},
	} {
		s := server(`{"name":"a"}`)
		s.Handshake.ServerCaps = []byte(`{"extensions":{"io.modelcontextprotocol/skills":{}}}`)
		s.Lists[client.Skills.Name] = &probe.List{Items: c.items, Pages: make([]probe.Outcome, c.pages)}
		expect(t, c.name, find(t, directory.Judge(directory.Subject{Server: s}, []string{"openai"}), "DIR-14"), c.verdict, c.contains)
	}
	expect(t, "not declared", find(t, directory.Judge(directory.Subject{Server: server(`{"name":"a"}`)}, []string{"openai"}), "DIR-14"), probe.Skipped, "does not apply: the server declares no skills")
}
