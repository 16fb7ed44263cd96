package skill_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcptea/offer/skill"
)

const mainText = "---\nname: tea\ndescription: Brews tea\nmetadata:\n  since: 2026-01-02\n  cups: 12345678901234567891\n  tags: [a, b]\n---\n\nBoil water.\n"

const mainURI = "skill://demo/tea/SKILL.md"

// entryOf is the entry of a skill with a SKILL.md of a content, and more members of resources.
func entryOf(content, more string) skill.Entry {
	return skill.Parse(fmt.Appendf(nil, `{"uri":%q,"frontmatter":{"name":"tea","description":"Brews tea","metadata":{"since":"2026-01-02","cups":12345678901234567891,"tags":["a","b"]}},
		"resources":[{"uri":%q,"digest":%q,"size":%d}%s]}`, mainURI, mainURI, skill.DigestOf([]byte(content)), len(content), more))
}

// what is what a verdict complains of.
func what(v skill.Verdict) (all []string) {
	for _, f := range v.Failures {
		all = append(all, strings.TrimSuffix(f.What+" "+f.Field, " "))
	}
	return all
}

// A file is verified only if its size, its digest and the front matter are those of the entry.
func TestSkill_Verify(t *testing.T) {
	e := entryOf(mainText, "")
	if v := e.Verify(e.URI, []byte(mainText)); v.State != skill.Verified || v.Failures != nil || v.Doubts != nil {
		t.Errorf("%+v", v)
	}
	for content, want := range map[string]string{
		strings.Replace(mainText, "Boil", "Spil", 1): "digest",
		mainText + "more\n":                          "size digest",
	} {
		if v := e.Verify(e.URI, []byte(content)); v.State != skill.Differs || strings.Join(what(v), " ") != want {
			t.Errorf("%q: %+v", content, v)
		}
	}
	if v := e.Verify("skill://demo/tea/other", nil); v.State != skill.Differs || !slices.Equal(what(v), []string{"listed"}) {
		t.Errorf("a file that is not listed: %+v", v)
	}
	dynamic := skill.Parse([]byte(`{"uri":"skill://demo/tea/SKILL.md","frontmatter":{"name":"tea","description":"x"},"resources":"dynamic"}`))
	if v := dynamic.Verify(dynamic.URI, []byte("---\nname: tea\ndescription: x\n---\n")); v.State != skill.Unchecked || v.Failures != nil {
		t.Errorf("a dynamic skill: %+v", v)
	}
	if v := dynamic.Verify(dynamic.URI, []byte(mainText)); v.State != skill.Differs {
		t.Errorf("other front matter of a dynamic skill: %+v", v)
	}
}

// Front matter is compared field by field with the exact values; digest and size are right here.
func TestSkill_Verify_Frontmatter(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"Brews tea", "Sells secrets"}:                                 "frontmatter description",
		{"12345678901234567891", "12345678901234567892"}:               "frontmatter metadata.cups",
		{"name: tea", "name: tea\nextra: 1"}:                           "frontmatter extra",
		{"name: tea", "name: tea\nname: tea"}:                          "frontmatter name",
		{"  tags: [a, b]\n", ""}:                                       "frontmatter metadata.tags",
		{"[a, b]", "[a]"}:                                              "frontmatter metadata.tags",
		{"---\nname", "name"}:                                          "frontmatter",
		{"since: 2026-01-02", "since: &a [*a]"}:                        "frontmatter metadata.since",
		{"---\nname: tea", "\xef\xbb\xbf---\nname: tea"}:               "",
		{"cups: 12345678901234567891", "cups: 12345678901234567891.0"}: "",
	} {
		content := strings.Replace(mainText, change[0], change[1], 1)
		e := entryOf(content, "")
		if got := strings.Join(what(e.Verify(e.URI, []byte(content))), ", "); got != want {
			t.Errorf("%q: %q, want %q", change[1], got, want)
		}
	}
}

// A value that versions of YAML read differently is not a failure.
func TestSkill_Verify_Doubts(t *testing.T) {
	for _, c := range []struct {
		yaml, json string
		doubt      bool
	}{
		{"yes", "true", true},
		{"on", `"on"`, false},
		{"1.0", `"1.0"`, true},
		{"0o17", "15", false},
		{"017", "17", true},
		{"2026-01-02", `"2026-01-02T00:00:00Z"`, true},
		{"1.0", "1", false},
		{"~", "null", false},
	} {
		content := "---\nname: tea\ndescription: d\nx: " + c.yaml + "\n---\n"
		e := skill.Parse(fmt.Appendf(nil, `{"uri":%q,"frontmatter":{"name":"tea","description":"d","x":%s},"resources":[{"uri":%q,"digest":%q,"size":%d}]}`,
			mainURI, c.json, mainURI, skill.DigestOf([]byte(content)), len(content)))
		if v := e.Verify(mainURI, []byte(content)); v.State != skill.Verified || (len(v.Doubts) > 0) != c.doubt {
			t.Errorf("%s and %s: %+v", c.yaml, c.json, v)
		}
	}
	content := "---\nname: tea\ndescription: d\nx: \"yes\"\n---\n"
	e := skill.Parse(fmt.Appendf(nil, `{"uri":%q,"frontmatter":{"name":"tea","description":"d","x":true},"resources":[{"uri":%q,"digest":%q,"size":%d}]}`,
		mainURI, mainURI, skill.DigestOf([]byte(content)), len(content)))
	if v := e.Verify(mainURI, []byte(content)); v.State != skill.Differs {
		t.Errorf("a text in quotes and true: %+v", v)
	}
}

// Each fault of an entry is found, and nothing else.
func TestSkill_Faults(t *testing.T) {
	file := func(uri string) string {
		return fmt.Sprintf(`,{"uri":%q,"digest":%q,"size":1}`, uri, skill.DigestOf([]byte("x")))
	}
	if e := entryOf(mainText, file("skill://demo/tea/a/b%20c.md")); e.Faults() != nil {
		t.Errorf("a valid entry: %v", e.Faults())
	}
	for raw, want := range map[string]skill.Kind{
		strings.Replace(string(entryOf(mainText, "").Raw), `"uri":"skill://demo/tea/SKILL.md","front`, `"front`, 1):                   skill.NoURI,
		strings.Replace(string(entryOf(mainText, "").Raw), `"name":"tea"`, `"name":"coffee"`, 1):                                      skill.OtherName,
		strings.ReplaceAll(strings.ReplaceAll(string(entryOf(mainText, "").Raw), "/tea/", "/-tea/"), `"name":"tea"`, `"name":"-tea"`): skill.BadName,
		strings.Replace(string(entryOf(mainText, "").Raw), `"description":"Brews tea",`, "", 1):                                       skill.BadFrontmatter,
		`{"uri":"skill://demo/tea/SKILL.md","frontmatter":{"name":"tea","description":"x"},"resources":"static"}`:                     skill.BadFiles,
		`{"uri":"skill://demo/tea/SKILL.md","frontmatter":{"name":"tea","description":"x"}}`:                                          skill.BadFiles,
		`{"uri":"skill://demo/tea/SKILL.md","frontmatter":{"name":"tea","description":"x"},"resources":[]}`:                           skill.NoMainFile,
		string(entryOf(mainText, file("skill://demo/tea/a")+file("skill://demo/tea/a")).Raw):                                          skill.Twice,
		string(entryOf(mainText, file("skill://demo/coffee/a")).Raw):                                                                  skill.Outside,
		string(entryOf(mainText, file("skill://demo/tea/../coffee/a")).Raw):                                                           skill.Outside,
		string(entryOf(mainText, file("skill://demo/tea/..%2fcoffee")).Raw):                                                           skill.Outside,
		string(entryOf(mainText, `,{"uri":"skill://demo/tea/a","digest":"sha256:00","size":1}`).Raw):                                  skill.BadDigest,
		string(entryOf(mainText, strings.Replace(file("skill://demo/tea/a"), ":1}", ":-1}", 1)).Raw):                                  skill.BadSize,
		string(entryOf(mainText, strings.Replace(file("skill://demo/tea/a"), ":1}", ":1.5}", 1)).Raw):                                 skill.BadSize,
		string(entryOf(mainText, strings.Replace(file("skill://demo/tea/a"), ":1}", ":99999999}", 1)).Raw):                            skill.TooLarge,
		strings.Replace(string(entryOf(mainText, "").Raw), `"since"`, `"io.modelcontextprotocol/x":1,"since"`, 1):                     skill.ReservedKey,
		strings.ReplaceAll(string(entryOf(mainText, "").Raw), "skill://demo", "https://demo"):                                         skill.OtherScheme,
		strings.ReplaceAll(string(entryOf(mainText, "").Raw), "skill://demo", "skill://de mo"):                                        skill.BadAuthority,
	} {
		e := skill.Parse([]byte(raw))
		faults := e.Faults()
		if len(faults) != 1 || faults[0].Kind != want {
			t.Errorf("%s: %v", raw, faults)
		}
	}
}

// Only the item with the URI that was read counts, text and blob alike.
func TestSkill_Content(t *testing.T) {
	result := []byte(`{"contents":[{"uri":"skill://b","text":"no"},{"uri":"skill://a","blob":"aGk="}]}`)
	if got, ok := skill.Content(result, "skill://a"); !ok || string(got) != "hi" {
		t.Errorf("%q, %v", got, ok)
	}
	if _, ok := skill.Content(result, "skill://c"); ok {
		t.Error("an item with another URI counts")
	}
}

// Of a result of which one client may use another content than the next one, none is verified.
func TestSkill_VerifyResult_OneContent(t *testing.T) {
	e := entryOf(mainText, "")
	text, blob := fmt.Sprintf(`"text":%q`, mainText), fmt.Sprintf(`"blob":%q`, base64.StdEncoding.EncodeToString([]byte(mainText)))
	uri := fmt.Sprintf(`"uri":%q`, e.URI)
	for items, want := range map[string]string{
		"{" + uri + "," + text + "}": "", "{" + uri + "," + blob + "}": "",
		"{" + uri + "," + text + `},{"uri":"skill://demo/tea/other","text":"x"}`: "",
		"{" + uri + "," + text + "," + blob + "}":                                "both",
		"{" + uri + "," + text + `,"blob":null}`:                                 "both",
		"{" + uri + "," + text + "},{" + uri + "," + text + "}":                  "2 with this uri",
		"{" + uri + "," + text + "},{" + uri + "," + blob + "}":                  "2 with this uri",
		"{" + uri + `},{` + uri + "," + text + "}":                               "2 with this uri",
		`{"uri":"skill://demo/tea/other",` + text + "}":                          "absent",
		"{" + uri + `,"blob":"?"}`:                                               "absent",
	} {
		content, v := e.VerifyResult(e.URI, []byte(`{"contents":[`+items+`]}`))
		if want == "" && (v.State != skill.Verified || string(content) != mainText) {
			t.Errorf("%.200s: %+v", items, v)
		}
		if want != "" && (v.State != skill.Differs || content != nil || len(v.Failures) != 1 || v.Failures[0].Found != want) {
			t.Errorf("%.200s: %q, %+v, want %s", items, content, v, want)
		}
	}
}

func TestSkill_Directories(t *testing.T) {
	e := entryOf(mainText, fmt.Sprintf(`,{"uri":"skill://demo/tea/a/b/c.md","digest":%q,"size":1}`, skill.DigestOf(nil)))
	got := e.Directories()
	if len(got) != 3 || !slices.Equal(got["skill://demo/tea"], []string{"skill://demo/tea/SKILL.md", "skill://demo/tea/a"}) || !slices.Equal(got["skill://demo/tea/a"], []string{"skill://demo/tea/a/b"}) {
		t.Errorf("%v", got)
	}
	if e.Path() != "demo/" || e.Relative("skill://demo/tea/a/b/c.md") != "a/b/c.md" || e.FileURI("a/b/c.md") != "skill://demo/tea/a/b/c.md" {
		t.Errorf("%q %q %q", e.Path(), e.Relative("skill://demo/tea/a/b/c.md"), e.FileURI("a/b/c.md"))
	}
}

// The front matter as JSON is what an entry with it has.
func TestSkill_Frontmatter(t *testing.T) {
	for content, want := range map[string]string{
		mainText: `{"name":"tea","description":"Brews tea","metadata":{"since":"2026-01-02","cups":12345678901234567891,"tags":["a","b"]}}`,
		"---\na: &x 1\nb: [*x, ~, yes, 1.50]\n---\n": `{"a":1,"b":[1,null,"yes",1.50]}`,
	} {
		got, err := skill.Frontmatter([]byte(content))
		if err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
	if _, err := skill.Frontmatter([]byte("---\na: &a [*a, *a]\n---\n")); err == nil {
		t.Error("endless aliases are no error")
	}
}

func FuzzSkill_Verify(f *testing.F) {
	f.Add([]byte(mainText), entryOf(mainText, "").Raw)
	f.Add([]byte("---\na: &a [*a, *a]\n---\n"), []byte(`{"uri":"/SKILL.md","frontmatter":{"a":[[],[]]},"resources":[{"uri":"/SKILL.md"}]}`))
	f.Fuzz(func(t *testing.T, content, raw []byte) {
		e := skill.Parse(raw)
		e.Directories()
		if v := e.Verify(e.URI, content); v.State == skill.Verified && len(v.Failures) > 0 {
			t.Error("verified, with failures")
		}
	})
}
