package pane_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/panetest"
	"mcptea/offer"
	"mcptea/offer/skill"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/skills"
)

const (
	uri  = "skill://demo/tea/SKILL.md"
	card = "skill://demo/tea/card.md"
	text = "---\nname: tea\ndescription: Brews tea\nallowed-tools: brew\n---\n\n# Boil\n"
)

// skillsFixture is a pane over a server that a test makes.
type skillsFixture struct {
	*panetest.Program
	pane  *skills.Pane
	st    session.State
	files map[string]string // by URI
	entry string            // of skills/get
	asked []string
}

func (fx *skillsFixture) Ask(_ context.Context, method string, params []byte) ([]byte, error) {
	asked := jsonrpc.Text(params, "uri")
	fx.asked = append(fx.asked, method+" "+asked)
	switch method {
	case "skills/get":
		return fmt.Appendf(nil, `{"skill":%s}`, fx.entry), nil
	case "resources/directory/read":
		return fmt.Appendf(nil, `{"resources":[{"uri":%q,"mimeType":"text/markdown"},{"uri":"skill://demo/tea/new.md","mimeType":"text/markdown"}]}`, uri), nil
	}
	content, ok := fx.files[asked]
	if !ok {
		return nil, errors.New("the server returned error -32602: resource not found")
	}
	return fmt.Appendf(nil, `{"contents":[{"uri":"skill://other","text":"SMUGGLED"},{"uri":%q,"mimeType":"text/markdown","text":%s}]}`, asked, jsonrpc.Quote(content)), nil
}

func (fx *skillsFixture) VerifySkill(e *skill.Entry, uri string, result []byte) ([]byte, skill.Verdict) {
	content, v := e.VerifyResult(uri, result)
	if v.State == skill.Differs {
		content = nil
	}
	return content, v
}

func entry(uri, resources string) string {
	return fmt.Sprintf(`{"uri":%q,"frontmatter":{"name":"tea","description":"Brews tea","allowed-tools":"brew"},"resources":%s}`, uri, resources)
}

func listed(files ...string) string {
	var all []string
	for i := 0; i < len(files); i += 2 {
		all = append(all, fmt.Sprintf(`{"uri":%q,"digest":%q,"size":%d}`, files[i], skill.DigestOf([]byte(files[i+1])), len(files[i+1])))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func skillsOpen(t *testing.T, entries ...string) *skillsFixture {
	t.Helper()
	fx := &skillsFixture{Program: panetest.New(t), files: map[string]string{uri: text, card: "A card"}, st: session.State{Phase: session.Ready, Handshake: client.Handshake{
		Revision: revision.R20260728, ServerCaps: []byte(`{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}}`),
	}}}
	l := offer.List{Offered: true}
	for _, e := range entries {
		l.Items = append(l.Items, offer.NewItem("skills", []byte(e)))
	}
	fx.st.Lists = map[string]offer.List{"skills": l}
	fx.pane = skills.New(fx, fx)
	fx.Pane = fx.pane
	fx.W, fx.H = 120, 40
	return fx
}

func (fx *skillsFixture) screen() string {
	fx.pane.Refresh(app.Tick{State: fx.st, Now: time.Now()})
	return fx.Paint(fx.W, fx.H, true)
}

func (fx *skillsFixture) sees(t *testing.T, texts ...string) {
	t.Helper()
	screen := fx.screen()
	for _, text := range texts {
		if not, absent := strings.CutPrefix(text, "!"); absent && strings.Contains(screen, not) || !absent && !strings.Contains(screen, text) {
			t.Errorf("%q:\n%s", text, screen)
		}
	}
}

// The list and the detail show the entries. Nothing is requested for them.
func TestSkills_NothingIsReadUnasked(t *testing.T) {
	fx := skillsOpen(t, entry(uri, listed(uri, text, card, "A card")), entry("skill://eu/tea/SKILL.md", `"dynamic"`), entry("skill://x/tea/SKILL.md", `7`))
	fx.W = 300
	fx.sees(t, "2 files", "demo/ Brews tea", "eu/", "dynamic", "shown, without effect", "not read", "A file is read when you ask for it.")
	fx.Press("j", "j")
	fx.sees(t, "resources is neither an array nor", "✗")
	fx.Press("k")
	fx.sees(t, "The files of this skill are dynamic")
	if fx.asked != nil {
		t.Errorf("asked %q", fx.asked)
	}
	if !fx.pane.Present() || fx.pane.Badge() != "3" {
		t.Errorf("present %v, badge %q", fx.pane.Present(), fx.pane.Badge())
	}
}

// enter reads the selected file and no other one. It is shown rendered, without its front matter and
// without what else the result has.
func TestSkills_ReadsOneFile(t *testing.T) {
	fx := skillsOpen(t, entry(uri, listed(uri, text, card, "A card")))
	fx.screen()
	fx.Press("enter")
	fx.screen()
	fx.Press("enter")
	fx.sees(t, "✓ SKILL.md", "Boil", "!SMUGGLED", "!# Boil")
	if got := strings.Join(fx.asked, "; "); got != "resources/read "+uri {
		t.Errorf("asked %q", got)
	}
	if asked := fx.Press("y"); asked != "copy URI of the file: "+uri {
		t.Errorf("y asked %q", asked)
	}
}

// The SKILL.md of a dynamic skill can be read, and is never verified.
func TestSkills_Dynamic(t *testing.T) {
	fx := skillsOpen(t, entry(uri, `"dynamic"`))
	fx.screen()
	fx.Press("enter")
	fx.screen()
	fx.Press("enter")
	fx.sees(t, "cannot be verified", "Boil", "!✓ SKILL.md")
}

// A file that is not what the entry says is not shown, whatever differs.
func TestSkills_FileDiffers(t *testing.T) {
	fx := skillsOpen(t, entry(uri, listed(uri, text, card, "another card")))
	fx.W = 300
	fx.screen()
	fx.Press("enter")
	fx.screen()
	fx.Press("j", "enter")
	fx.sees(t, "size differs", "Its content is not shown.", "entry       12", "read        6", "!A card", skill.DigestOf([]byte("A card"))[7:])
	fx.Press("k")
	fx.files = nil
	fx.Press("enter")
	fx.sees(t, "cannot be read", "resource not found")
}

// r requests the entry again, says what has changed, and forgets what was read before.
func TestSkills_EntryAgain(t *testing.T) {
	fx := skillsOpen(t, entry(uri, listed(uri, text)))
	fx.screen()
	fx.Press("enter")
	fx.screen()
	fx.Press("enter")
	fx.sees(t, "✓ SKILL.md")
	fx.entry = entry(uri, listed(uri, text))
	if asked := fx.Press("r"); !strings.Contains(asked, "say: The entry of the skill has not changed.") {
		t.Errorf("asked %q", asked)
	}
	fx.entry = entry(uri, listed(uri, text+"x", card, "A card"))
	if asked := fx.Press("r"); !strings.Contains(asked, "changed: SKILL.md changed, card.md added.") {
		t.Errorf("asked %q", asked)
	}
	fx.sees(t, "not read", "!✓ SKILL.md", "card.md", "changed")
}

// d compares the entry with the directories; without directoryRead it says why not.
func TestSkills_Directories(t *testing.T) {
	fx := skillsOpen(t, entry(uri, listed(uri, text, card, "A card")))
	fx.W = 300
	fx.screen()
	fx.Press("d")
	fx.sees(t, "not in the directory: card.md; not in the entry: new.md")
	fx.st.Handshake.ServerCaps = []byte(`{"extensions":{"io.modelcontextprotocol/skills":{}}}`)
	fx.screen()
	if asked := fx.Press("d"); asked != "off: The server does not declare directoryRead for its skills." {
		t.Errorf("asked %q", asked)
	}
}

// Without skills the pane is absent.
func TestSkills_Absent(t *testing.T) {
	fx := skillsOpen(t)
	fx.st.Lists = nil
	fx.sees(t, "No skills in the list.")
	if fx.pane.Present() {
		t.Error("the tab is shown")
	}
	if asked := fx.Press("r"); asked != "off: No skill is selected." {
		t.Errorf("asked %q", asked)
	}
}

// The files of a directory are below it, wherever the entry has them, and enter folds it. An object of
// the front matter has a row for each member.
func TestSkills_Tree(t *testing.T) {
	const text = "---\nname: tea\ndescription: Brews tea\nmetadata:\n  version: \"1.2\"\n  pots: 2\n---\n\n# Boil\n"
	entry := func(files string) string {
		return `{"uri":"` + uri + `","frontmatter":{"name":"tea","description":"Brews tea","metadata":{"version":"1.2","pots":2}},"resources":` + files + `}`
	}
	skillsOpen(t, entry(listed("skill://other/three.md", "3"))).sees(t, "· skill://other/three.")
	fx := skillsOpen(t, entry(listed("skill://demo/tea/a/one.md", "1", uri, text, "skill://demo/tea/a/b/two.md", "2")))
	fx.files[uri] = text
	fx.sees(t, "▾ a/ ", "  · one.md ", "  ▾ b/ ", "    · two.md ", `  version     "1.2"`, "  pots        2")
	fx.Press("enter")
	fx.screen()
	fx.Press("enter")
	fx.sees(t, "▸ a/", "!one.md", "!two.md", "· SKILL.md")
	if asked := fx.Press("y"); asked != "copy URI of the file: skill://demo/tea/a" {
		t.Errorf("asked %q", asked)
	}
	fx.Press("j", "enter")
	fx.sees(t, "✓ SKILL.md  rendered  text", "Boil", "Its text is beside the files")
	if len(fx.asked) != 1 {
		t.Errorf("asked %q", fx.asked)
	}
}
