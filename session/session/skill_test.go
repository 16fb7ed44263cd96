package session

import (
	"fmt"
	"testing"

	"mcptea/client"
	"mcptea/offer/skill"
	"mcptea/record/store"
)

// A file that matches the entry causes no warning, and each verdict is reported once.
func TestVerifySkill_Notes(t *testing.T) {
	s, err := Open(Config{Target: client.Target{Argv: []string{"x"}}, Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	const text = "---\nname: tea\ndescription: x\n---\n"
	e := skill.Parse(fmt.Appendf(nil, `{"uri":"skill://tea/SKILL.md","frontmatter":{"name":"tea","description":"x"},"resources":[{"uri":"skill://tea/SKILL.md","digest":%q,"size":%d}]}`, skill.DigestOf([]byte(text)), len(text)))
	for _, content := range []string{text, "other", text, "other"} {
		s.VerifySkill(&e, e.URI, fmt.Appendf(nil, `{"contents":[{"uri":"skill://tea/SKILL.md","text":%q}]}`, content))
	}
	if total, _ := s.Store().Logs(); total != 2 {
		t.Errorf("%d notes", total)
	}
	for i, want := range []store.Level{store.LevelInfo, store.LevelWarning} {
		if l, ok := s.Store().LogAt(i); !ok || l.Level != want {
			t.Errorf("note %d: %+v", i, l)
		}
	}
}
