package secret

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// What Header writes of a session id is read again, whatever its length.
func TestParseSessionID_ReadsWhatHeaderWrites(t *testing.T) {
	pattern := regexp.MustCompile("^" + SessionIDPattern + "$")
	for _, character := range []string{"a", " ", "é"} {
		for n := 1; n <= 40; n++ {
			id := strings.Repeat(character, n)
			shown := Header(http.Header{"Mcp-Session-Id": {id}}).Get("Mcp-Session-Id")
			got := ParseSessionID(shown)
			want := SessionID{Shown: id[:min(8, len(id)/2)], Length: len(id), Redacted: true, Invalid: character != "a"}
			if got != want {
				t.Errorf("%q: %+v, want %+v", shown, got, want)
			}
			if character == "a" && !pattern.MatchString(shown) {
				t.Errorf("%q is not found as a redacted id", shown)
			}
			if again := got.String(); again != shown {
				t.Errorf("%q is redacted again as %q", shown, again)
			}
			if raw := ParseSessionID(id); raw.Redacted || !raw.Same(got) || !got.Same(raw) || raw.Same(ParseSessionID(id+"b")) || got.Same(ParseSessionID("b"+id)) {
				t.Errorf("%q is not compared with %q", id, shown)
			}
		}
	}
}

// Recordings of earlier versions have other forms.
func TestParseSessionID_OlderForms(t *testing.T) {
	for text, want := range map[string]SessionID{
		"12345678…":                 {Shown: "12345678", Redacted: true},
		"12345678… (10 characters)": {Shown: "12345678", Length: 10, Redacted: true},
		"":                          {},
		"123…":                      {Shown: "123…", Length: 6, Invalid: true},
		"x… (900 characters)":       {Shown: "x… (900 characters)", Length: 21, Invalid: true},
	} {
		if got := ParseSessionID(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	old := ParseSessionID("12345678…")
	if !old.Same(ParseSessionID("12345678-9abc")) || !ParseSessionID("1234567890").Same(ParseSessionID("12345678… (10 characters)")) || old.Same(ParseSessionID("123")) || old.Same(ParseSessionID("")) {
		t.Error("the forms are not compared")
	}
}

// Pattern matches the marks that the functions of the package write.
func TestPattern_MatchesMarks(t *testing.T) {
	pattern := regexp.MustCompile("^" + Pattern + "$")
	for _, mark := range []string{Mark, urlMark, markWithLength("kettle")} {
		if !pattern.MatchString(mark) {
			t.Errorf("%q", mark)
		}
	}
}

// An id has visible characters of ASCII alone, of which "!" is the first and "~" the last.
func TestParseSessionID_InvalidCharacters(t *testing.T) {
	if got, want := headerValue("Mcp-Session-Id", "abc defghi"), "abc d… (10 characters, some of them not allowed)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for id, valid := range map[string]bool{"!abcdefgh~": true, "abc defgh": false, "abcdefgh\x7f": false, "abcdefghé": false, "\tabcdefgh": false} {
		if got := !strings.Contains(headerValue("Mcp-Session-Id", id), notAllowed); got != valid {
			t.Errorf("%q: %v", id, got)
		}
	}
}
