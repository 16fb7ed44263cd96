package skill

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const mainText = "---\nname: tea\ndescription: Brews tea\nmetadata:\n  since: 2026-01-02\n  cups: 12345678901234567891\n  tags: [a, b]\n---\n\nBoil water.\n"

const mainURI = "skill://demo/tea/SKILL.md"

// entryOf is the entry of a skill with a SKILL.md of a content, and more members of resources.
func entryOf(content, more string) Entry {
	return Parse(fmt.Appendf(nil, `{"uri":%q,"frontmatter":{"name":"tea","description":"Brews tea","metadata":{"since":"2026-01-02","cups":12345678901234567891,"tags":["a","b"]}},
		"resources":[{"uri":%q,"digest":%q,"size":%d}%s]}`, mainURI, mainURI, DigestOf([]byte(content)), len(content), more))
}

// what is what a verdict complains of.
func what(v Verdict) (all []string) {
	for _, f := range v.Failures {
		all = append(all, strings.TrimSuffix(f.What+" "+f.Field, " "))
	}
	return all
}

// A file is verified only if its size, its digest and the front matter are those of the entry.
func TestVerify(t *testing.T) {
	e := entryOf(mainText, "")
	if v := e.Verify(e.URI, []byte(mainText)); v.State != Verified || v.Failures != nil || v.Doubts != nil {
		t.Errorf("%+v", v)
	}
	for content, want := range map[string]string{
		strings.Replace(mainText, "Boil", "Spil", 1): "digest",
		mainText + "more\n":                          "size digest",
	} {
		if v := e.Verify(e.URI, []byte(content)); v.State != Differs || strings.Join(what(v), " ") != want {
			t.Errorf("%q: %+v", content, v)
		}
	}
	if v := e.Verify("skill://demo/tea/other", nil); v.State != Differs || !slices.Equal(what(v), []string{"listed"}) {
		t.Errorf("a file that is not listed: %+v", v)
	}
	dynamic := Parse([]byte(`{"uri":"skill://demo/tea/SKILL.md","frontmatter":{"name":"tea","description":"x"},"resources":"dynamic"}`))
	if v := dynamic.Verify(dynamic.URI, []byte("---\nname: tea\ndescription: x\n---\n")); v.State != Unchecked || v.Failures != nil {
		t.Errorf("a dynamic skill: %+v", v)
	}
	if v := dynamic.Verify(dynamic.URI, []byte(mainText)); v.State != Differs {
		t.Errorf("other front matter of a dynamic skill: %+v", v)
	}
}

// Front matter is compared field by field with the exact values; digest and size are right here.
func TestVerify_Frontmatter(t *testing.T) {
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

// What versions of YAML read differently is no failure.
func TestVerify_Doubts(t *testing.T) {
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
		e := Parse(fmt.Appendf(nil, `{"uri":%q,"frontmatter":{"name":"tea","description":"d","x":%s},"resources":[{"uri":%q,"digest":%q,"size":%d}]}`,
			mainURI, c.json, mainURI, DigestOf([]byte(content)), len(content)))
		if v := e.Verify(mainURI, []byte(content)); v.State != Verified || (len(v.Doubts) > 0) != c.doubt {
			t.Errorf("%s and %s: %+v", c.yaml, c.json, v)
		}
	}
	content := "---\nname: tea\ndescription: d\nx: \"yes\"\n---\n"
	e := Parse(fmt.Appendf(nil, `{"uri":%q,"frontmatter":{"name":"tea","description":"d","x":true},"resources":[{"uri":%q,"digest":%q,"size":%d}]}`,
		mainURI, mainURI, DigestOf([]byte(content)), len(content)))
	if v := e.Verify(mainURI, []byte(content)); v.State != Differs {
		t.Errorf("a text in quotes and true: %+v", v)
	}
}

// Each fault of an entry is found, and nothing else.
func TestFaults(t *testing.T) {
	file := func(uri string) string {
		return fmt.Sprintf(`,{"uri":%q,"digest":%q,"size":1}`, uri, DigestOf([]byte("x")))
	}
	if e := entryOf(mainText, file("skill://demo/tea/a/b%20c.md")); e.Faults() != nil {
		t.Errorf("a valid entry: %v", e.Faults())
	}
	for raw, want := range map[string]Kind{
		strings.Replace(string(entryOf(mainText, "").Raw), `"uri":"skill://demo/tea/SKILL.md","front`, `"front`, 1):                   NoURI,
		strings.Replace(string(entryOf(mainText, "").Raw), `"name":"tea"`, `"name":"coffee"`, 1):                                      OtherName,
		strings.ReplaceAll(strings.ReplaceAll(string(entryOf(mainText, "").Raw), "/tea/", "/-tea/"), `"name":"tea"`, `"name":"-tea"`): BadName,
		strings.Replace(string(entryOf(mainText, "").Raw), `"description":"Brews tea",`, "", 1):                                       BadFrontmatter,
		`{"uri":"skill://demo/tea/SKILL.md","frontmatter":{"name":"tea","description":"x"},"resources":"static"}`:                     BadFiles,
		`{"uri":"skill://demo/tea/SKILL.md","frontmatter":{"name":"tea","description":"x"}}`:                                          BadFiles,
		`{"uri":"skill://demo/tea/SKILL.md","frontmatter":{"name":"tea","description":"x"},"resources":[]}`:                           NoMainFile,
		string(entryOf(mainText, file("skill://demo/tea/a")+file("skill://demo/tea/a")).Raw):                                          Twice,
		string(entryOf(mainText, file("skill://demo/coffee/a")).Raw):                                                                  Outside,
		string(entryOf(mainText, file("skill://demo/tea/../coffee/a")).Raw):                                                           Outside,
		string(entryOf(mainText, file("skill://demo/tea/..%2fcoffee")).Raw):                                                           Outside,
		string(entryOf(mainText, `,{"uri":"skill://demo/tea/a","digest":"sha256:00","size":1}`).Raw):                                  BadDigest,
		string(entryOf(mainText, strings.Replace(file("skill://demo/tea/a"), ":1}", ":-1}", 1)).Raw):                                  BadSize,
		string(entryOf(mainText, strings.Replace(file("skill://demo/tea/a"), ":1}", ":1.5}", 1)).Raw):                                 BadSize,
		string(entryOf(mainText, strings.Replace(file("skill://demo/tea/a"), ":1}", ":99999999}", 1)).Raw):                            TooLarge,
		strings.Replace(string(entryOf(mainText, "").Raw), `"since"`, `"io.modelcontextprotocol/x":1,"since"`, 1):                     ReservedKey,
		strings.ReplaceAll(string(entryOf(mainText, "").Raw), "skill://demo", "https://demo"):                                         OtherScheme,
		strings.ReplaceAll(string(entryOf(mainText, "").Raw), "skill://demo", "skill://de mo"):                                        BadAuthority,
	} {
		e := Parse([]byte(raw))
		faults := e.Faults()
		if len(faults) != 1 || faults[0].Kind != want {
			t.Errorf("%s: %v", raw, faults)
		}
	}
}

// Only the item with the URI that was read counts, text and blob alike.
func TestContent(t *testing.T) {
	result := []byte(`{"contents":[{"uri":"skill://b","text":"no"},{"uri":"skill://a","blob":"aGk="}]}`)
	if got, ok := Content(result, "skill://a"); !ok || string(got) != "hi" {
		t.Errorf("%q, %v", got, ok)
	}
	if _, ok := Content(result, "skill://c"); ok {
		t.Error("an item with another URI counts")
	}
}

func TestDirectories(t *testing.T) {
	e := entryOf(mainText, fmt.Sprintf(`,{"uri":"skill://demo/tea/a/b/c.md","digest":%q,"size":1}`, DigestOf(nil)))
	got := e.Directories()
	if len(got) != 3 || !slices.Equal(got["skill://demo/tea"], []string{"skill://demo/tea/SKILL.md", "skill://demo/tea/a"}) || !slices.Equal(got["skill://demo/tea/a"], []string{"skill://demo/tea/a/b"}) {
		t.Errorf("%v", got)
	}
	if e.Path() != "demo/" || e.Relative("skill://demo/tea/a/b/c.md") != "a/b/c.md" || e.FileURI("a/b/c.md") != "skill://demo/tea/a/b/c.md" {
		t.Errorf("%q %q %q", e.Path(), e.Relative("skill://demo/tea/a/b/c.md"), e.FileURI("a/b/c.md"))
	}
}

// The front matter as JSON is what an entry with it has.
func TestFrontmatter(t *testing.T) {
	for content, want := range map[string]string{
		mainText: `{"name":"tea","description":"Brews tea","metadata":{"since":"2026-01-02","cups":12345678901234567891,"tags":["a","b"]}}`,
		"---\na: &x 1\nb: [*x, ~, yes, 1.50]\n---\n": `{"a":1,"b":[1,null,"yes",1.50]}`,
	} {
		got, err := Frontmatter([]byte(content))
		if err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
	if _, err := Frontmatter([]byte("---\na: &a [*a, *a]\n---\n")); err == nil {
		t.Error("endless aliases are no error")
	}
}

func FuzzVerify(f *testing.F) {
	f.Add([]byte(mainText), entryOf(mainText, "").Raw)
	f.Add([]byte("---\na: &a [*a, *a]\n---\n"), []byte(`{"uri":"/SKILL.md","frontmatter":{"a":[[],[]]},"resources":[{"uri":"/SKILL.md"}]}`))
	f.Fuzz(func(t *testing.T, content, raw []byte) {
		e := Parse(raw)
		e.Directories()
		if v := e.Verify(e.URI, content); v.State == Verified && len(v.Failures) > 0 {
			t.Error("verified, with failures")
		}
	})
}
