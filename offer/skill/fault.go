package skill

import (
	"fmt"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

// A Kind is a kind of fault in an entry.
type Kind uint8

// The kinds. An entry with one of [Kind.Invalid] is not loaded by a host.
const (
	NoURI          Kind = iota // the URI is absent
	BadURI                     // the URI does not end with /SKILL.md
	BadFrontmatter             // the front matter has no name or no description
	OtherName                  // the last segment of the path is not the name
	BadName                    // the name does not follow the format
	BadFiles                   // resources is neither an array nor "dynamic"
	NoMainFile                 // the SKILL.md is not listed
	Twice                      // a file is listed twice
	Outside                    // a file is not in the directory
	BadDigest                  // a digest is not SHA-256 in lower case
	BadSize                    // a size is absent, negative or not an integer
	TooManyFiles               // more files than a host must support
	TooLarge                   // more bytes than a host must support
	LongText                   // the description or the compatibility is longer than the format permits
	ReservedKey                // the metadata has a key with the prefix of MCP
	BadAuthority               // the first segment is not a registered name
	OtherScheme                // the scheme is not skill://
)

// Invalid reports whether the specification forbids hosts to load such an entry, or it cannot be
// verified.
func (k Kind) Invalid() bool { return k != BadName && k <= BadSize }

// Fault is something that is wrong with an entry.
type Fault struct {
	Kind  Kind
	Place string // JSON Pointer in the entry
	Text  string // the problem, without a final period; with untrusted text in quotes
}

var (
	digest  = lazyregexp.New(`^sha256:[0-9a-f]{64}$`)
	regName = lazyregexp.New(`^(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$`)
	name    = lazyregexp.New(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)
)

// The longest texts of the format (Agent Skills).
const (
	maxName          = 64
	maxDescription   = 1024
	maxCompatibility = 500
)

// maxFaults bounds the faults of an entry.
const maxFaults = 20

// Faults returns the problems of the entry, at most 20.
func (e *Entry) Faults() (faults []Fault) {
	add := func(k Kind, place, format string, args ...any) {
		if len(faults) < maxFaults {
			faults = append(faults, Fault{k, place, fmt.Sprintf(format, args...)})
		}
	}
	e.nameFaults(add)
	if e.Dynamic {
		return faults
	}
	if !e.listed {
		add(BadFiles, "/resources", `resources is neither an array nor "dynamic"`)
		return faults
	}
	e.fileFaults(add)
	return faults
}

func (e *Entry) nameFaults(add func(Kind, string, string, ...any)) {
	root := strings.TrimSuffix(e.Root(), "/")
	switch {
	case e.URI == "":
		add(NoURI, "/uri", "uri is absent")
	case root == "":
		add(BadURI, "/uri", "the uri %q does not end with /%s", e.URI, MainFile)
	default:
		segment := root[strings.LastIndexByte(root, '/')+1:]
		if e.Name != "" && segment != e.Name {
			add(OtherName, "/uri", "the last segment of the path is %q, and the name is %q", segment, e.Name)
		}
		if len(segment) > maxName || !name().MatchString(segment) {
			add(BadName, "/uri", "the name %q is not 1 to %d of a-z, 0-9 and single hyphens between them", segment, maxName)
		}
		if _, path, ok := strings.Cut(root, "://"); ok {
			if authority, _, _ := strings.Cut(path, "/"); !regName().MatchString(authority) {
				add(BadAuthority, "/uri", "the first segment %q is not a registered name", authority)
			}
		}
	}
	if e.URI != "" && !strings.HasPrefix(e.URI, "skill://") {
		add(OtherScheme, "/uri", "the scheme is not skill://")
	}
	switch {
	case jsonrpc.TypeOf(e.Frontmatter) != "object":
		add(BadFrontmatter, "/frontmatter", "frontmatter is not an object")
	case e.Name == "":
		add(BadFrontmatter, "/frontmatter/name", "the front matter has no name")
	case e.Description == "":
		add(BadFrontmatter, "/frontmatter/description", "the front matter has no description")
	}
	if n := len([]rune(e.Description)); n > maxDescription {
		add(LongText, "/frontmatter/description", "the description has %d characters, and may have %d", n, maxDescription)
	}
	if n := len([]rune(jsonrpc.Text(e.Frontmatter, "compatibility"))); n > maxCompatibility {
		add(LongText, "/frontmatter/compatibility", "compatibility has %d characters, and may have %d", n, maxCompatibility)
	}
	for key := range jsonrpc.Members(jsonrpc.Get(e.Frontmatter, "metadata")) {
		if strings.HasPrefix(string(key), "io.modelcontextprotocol/") {
			add(ReservedKey, "/frontmatter/metadata", "the key %q of metadata has a reserved prefix", key)
		}
	}
}

func (e *Entry) fileFaults(add func(Kind, string, string, ...any)) {
	seen := map[string]bool{}
	for i, f := range e.Files {
		at := "/resources/" + strconv.Itoa(i)
		switch {
		case seen[f.URI]:
			add(Twice, at+"/uri", "%q is listed twice", f.URI)
		case e.Root() != "" && !e.within(f.URI):
			add(Outside, at+"/uri", "%q is not in the directory of the skill", f.URI)
		}
		seen[f.URI] = true
		if !digest().MatchString(f.Digest) {
			add(BadDigest, at+"/digest", "the digest of %q is not sha256: and 64 digits in lower case", f.URI)
		}
		if f.Size < 0 {
			add(BadSize, at+"/size", "the size of %q is not a number of bytes", f.URI)
		}
	}
	if e.URI != "" && !seen[e.URI] {
		add(NoMainFile, "/resources", "%s is not listed in resources", MainFile)
	}
	if len(e.Files) > MaxFiles {
		add(TooManyFiles, "/resources", "%d files are listed, and hosts have to support %d", len(e.Files), MaxFiles)
	}
	if sum := e.Size(); sum > MaxBytes {
		add(TooLarge, "/resources", "the files have %d bytes, and hosts have to support %d", sum, MaxBytes)
	}
}
