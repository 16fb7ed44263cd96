package skill

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"

	"mcptea/client/jsonrpc"
)

// A State tells whether a file matches its entry.
type State uint8

// The states. A digest shows that file and entry are consistent; both come from the server.
const (
	NotRead   State = iota
	Verified        // size, digest and front matter match the entry
	Differs         // one of them does not match: the content must not be used
	Unchecked       // the skill is dynamic: there is nothing to compare with
)

var states = [...]string{"not read", "verified", "differs", "cannot be verified"}

// String returns the state in words.
func (s State) String() string { return states[s] }

// Failure is something that a file and its entry differ in.
type Failure struct {
	What     string `json:"what"`           // "entry", "listed", "size", "digest", "frontmatter" or "content"
	Field    string `json:"field,omitzero"` // field of the front matter; from the peer
	Expected string `json:"expected"`       // value in the entry; from the peer
	Found    string `json:"found"`          // value in the file; from the peer
}

// Sentence describes the difference, such as "license: "MIT" in the entry, absent in the file".
func (f Failure) Sentence() string {
	switch f.What {
	case "frontmatter":
		if f.Field == "" {
			return "front matter: " + f.Found + " (" + f.Expected + " is expected)"
		}
		return f.Field + ": " + f.Expected + " in the entry, " + f.Found + " in the file"
	case "size", "digest":
		return f.What + ": " + f.Expected + " in the entry, " + f.Found + " in the file"
	}
	return f.What + ": " + f.Found + " (" + f.Expected + " is expected)"
}

// Verdict is the comparison of a file with its entry.
type Verdict struct {
	State    State
	Failures []Failure
	// Doubts lists fields of the front matter that differ only in how YAML is read, such as yes and true. They
	// are not failures.
	Doubts []Failure
}

// DigestOf returns the digest of a content, in the form used by entries.
func DigestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Verify compares the content of a file with the entry: its size, its digest, and of the SKILL.md
// the front matter, field by field. The content is the bytes as the server has them.
func (e *Entry) Verify(uri string, content []byte) (v Verdict) {
	if e.Dynamic {
		if v.State = Unchecked; uri == e.URI { // but its front matter must match anyway
			if v.Failures, v.Doubts = compareFrontmatter(e.Frontmatter, content); v.Failures != nil {
				v.State = Differs
			}
		}
		return v
	}
	fail := func(what, expected, found string) {
		v.Failures = append(v.Failures, Failure{What: what, Expected: expected, Found: found})
	}
	for _, f := range e.Faults() {
		if f.Kind.Invalid() {
			fail("entry", "a valid entry", f.Text)
		}
	}
	if f, listed := e.File(uri); !listed {
		fail("listed", "a file of the entry", "not listed in resources")
	} else {
		if f.Size != int64(len(content)) {
			fail("size", strconv.FormatInt(f.Size, 10), strconv.Itoa(len(content)))
		}
		if got := DigestOf(content); got != f.Digest {
			fail("digest", f.Digest, got)
		}
	}
	if uri == e.URI {
		failures, doubts := compareFrontmatter(e.Frontmatter, content)
		v.Failures, v.Doubts = append(v.Failures, failures...), doubts
	}
	v.State = Verified
	if len(v.Failures) > 0 {
		v.State = Differs
	}
	return v
}

// VerifyResult is like Verify, but takes the result of resources/read. If the content of the URI is missing,
// the file differs, even for a dynamic skill.
func (e *Entry) VerifyResult(uri string, result []byte) (content []byte, v Verdict) {
	content, ok := Content(result, uri)
	if found := ambiguity(result, uri); found != "" || !ok {
		if found == "" {
			found = "absent"
		}
		return nil, Verdict{State: Differs, Failures: []Failure{{What: "content", Expected: "text or a blob with this uri", Found: found}}}
	}
	return content, e.Verify(uri, content)
}

// ambiguity returns why clients may disagree about which content of a result to use, or "" if there is exactly
// one.
func ambiguity(result []byte, uri string) string {
	n, both := 0, false
	for item := range jsonrpc.Elements(jsonrpc.Get(result, "contents")) {
		if jsonrpc.Text(item, "uri") == uri {
			_, text := jsonrpc.Member(item, "text")
			_, blob := jsonrpc.Member(item, "blob")
			n, both = n+1, both || text && blob
		}
	}
	switch {
	case n > 1:
		return strconv.Itoa(n) + " with this uri"
	case both:
		return "both"
	}
	return ""
}

// bytesOf returns the bytes of the contents of a resource.
func bytesOf(item []byte) ([]byte, bool) {
	if text, ok := jsonrpc.Unquote(jsonrpc.Get(item, "text")); ok {
		return []byte(text), true
	}
	blob, ok := jsonrpc.Unquote(jsonrpc.Get(item, "blob"))
	if !ok {
		return nil, false
	}
	data, err := base64.StdEncoding.DecodeString(blob)
	return data, err == nil
}

// byteOrderMark may be before the front matter, and counts for size and digest.
var byteOrderMark = []byte("\xef\xbb\xbf")

// Body returns a SKILL.md without its front matter. It returns other text unchanged.
func Body(content []byte) []byte {
	if _, rest, err := split(content); err == nil {
		return bytes.TrimLeft(rest, "\r\n")
	}
	return content
}
