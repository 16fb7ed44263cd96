package skill

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// MainFile is the name of the file that a skill begins with.
const MainFile = "SKILL.md"

// Limits of a skill that each host supports, and that a server should not exceed.
const (
	MaxFiles = 512
	MaxBytes = 16 << 20
)

// maxSize is the largest size of a file: larger integers have no exact double.
const maxSize = 1 << 53

// Entry is a skill as a server lists it. Texts are untrusted.
type Entry struct {
	URI               string // URI of its SKILL.md
	Name, Description string
	Frontmatter       []byte // raw; nil when absent
	// Dynamic reports that the files are not listed: they cannot be verified.
	Dynamic bool
	Files   []File
	Raw     []byte // must not be changed

	listed bool // the files are an array
}

// File is a file of a skill as its entry lists it.
type File struct {
	URI    string
	Digest string // "sha256:" and 64 hexadecimal digits
	Size   int64  // bytes; -1 if not given
	Raw    []byte
}

// Parse reads an entry of skills/list, or the skill of skills/get. Members that violate the specification are
// left empty, and [Entry.Faults] reports them. The entry keeps raw.
func Parse(raw []byte) Entry {
	e := Entry{
		URI: jsonrpc.Text(raw, "uri"), Frontmatter: jsonrpc.Get(raw, "frontmatter"), Raw: raw,
		Name: jsonrpc.Text(raw, "frontmatter", "name"), Description: jsonrpc.Text(raw, "frontmatter", "description"),
	}
	files := jsonrpc.Get(raw, "resources")
	e.Dynamic, e.listed = jsonrpc.IsText(files, "dynamic"), jsonrpc.TypeOf(files) == "array"
	if !e.listed {
		return e
	}
	for item := range jsonrpc.Elements(files) {
		f := File{URI: jsonrpc.Text(item, "uri"), Digest: jsonrpc.Text(item, "digest"), Size: -1, Raw: item}
		if n, err := strconv.ParseFloat(string(jsonrpc.Get(item, "size")), 64); err == nil && n >= 0 && n <= maxSize && n == math.Trunc(n) {
			f.Size = int64(n)
		}
		e.Files = append(e.Files, f)
	}
	return e
}

// Root returns the directory of the skill, with a trailing slash, or "" if the URI does not name a
// SKILL.md.
func (e *Entry) Root() string {
	root, ok := strings.CutSuffix(e.URI, "/"+MainFile)
	if !ok || strings.HasSuffix(root, "/") {
		return ""
	}
	return root + "/"
}

// Path returns the path before the name in the URI, such as "acme/". It distinguishes skills with the same
// name.
func (e *Entry) Path() string {
	root := strings.TrimSuffix(e.Root(), "/")
	if _, after, ok := strings.Cut(root, "://"); ok {
		root = after
	}
	return root[:strings.LastIndexByte(root, '/')+1]
}

// Relative returns the path of a file relative to the directory of the skill, or its URI if it is elsewhere.
func (e *Entry) Relative(uri string) string {
	if root := e.Root(); root != "" {
		return strings.TrimPrefix(uri, root)
	}
	return uri
}

// FileURI returns the URI of a file that is named by its URI or by its path in the directory.
func (e *Entry) FileURI(name string) string {
	if _, listed := e.File(name); listed || strings.Contains(name, "://") {
		return name
	}
	return e.Root() + name
}

// File finds a file of the entry.
func (e *Entry) File(uri string) (File, bool) {
	i := slices.IndexFunc(e.Files, func(f File) bool { return f.URI == uri })
	if i < 0 {
		return File{}, false
	}
	return e.Files[i], true
}

// Size returns the sum of the sizes of the files.
func (e *Entry) Size() (sum int64) {
	for _, f := range e.Files {
		if f.Size > 0 && sum < 1<<60 {
			sum += f.Size
		}
	}
	return sum
}

// within reports whether a URI is in the directory of the skill, judging only by its text: a path with ".." or
// an encoded slash could lead out of it.
func (e *Entry) within(uri string) bool {
	root := e.Root()
	path, ok := strings.CutPrefix(uri, root)
	if !ok || root == "" || path == "" {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		plain, err := url.PathUnescape(segment)
		if err != nil || plain == "" || plain == "." || plain == ".." || strings.ContainsAny(plain, `/\`) {
			return false
		}
	}
	return true
}

// Changes describes how a newer entry of the skill differs, or returns "". The text includes text of the peer.
func (e *Entry) Changes(now *Entry) string {
	if jsonrpc.Equal(e.Raw, now.Raw) {
		return ""
	}
	parts := []string{}
	before, after := e.byURI(), now.byURI()
	for _, f := range e.Files {
		if len(parts) == maxFaults {
			return strings.Join(append(parts, "and more"), ", ")
		}
		switch other, listed := after[f.URI]; {
		case !listed:
			parts = append(parts, e.Relative(f.URI)+" removed")
		case other.Digest != f.Digest || other.Size != f.Size:
			parts = append(parts, e.Relative(f.URI)+" changed")
		}
	}
	for _, f := range now.Files {
		if _, listed := before[f.URI]; !listed && len(parts) < maxFaults {
			parts = append(parts, now.Relative(f.URI)+" added")
		}
	}
	if !jsonrpc.Equal(e.Frontmatter, now.Frontmatter) {
		parts = append(parts, "front matter changed")
	}
	if e.Dynamic != now.Dynamic {
		parts = append(parts, "dynamic changed")
	}
	if len(parts) == 0 {
		return "other members changed"
	}
	return strings.Join(parts, ", ")
}

func (e *Entry) byURI() map[string]File {
	files := make(map[string]File, len(e.Files))
	for _, f := range e.Files {
		files[f.URI] = f
	}
	return files
}

// Directories maps the URIs of the skill's directories that have files, without a trailing slash, to the URIs
// of their direct content.
func (e *Entry) Directories() map[string][]string {
	all, seen := map[string][]string{}, map[string]bool{}
	root := strings.TrimSuffix(e.Root(), "/")
	for _, f := range e.Files {
		if !e.within(f.URI) {
			continue
		}
		for child := f.URI; child != root; {
			dir := child[:strings.LastIndexByte(child, '/')]
			if seen[child] {
				break
			}
			seen[child] = true
			all[dir] = append(all[dir], child)
			child = dir
		}
	}
	return all
}

// Contents returns the contents of the resource with a URI in a result of resources/read, or nil. Items with
// other URIs do not count.
func Contents(result []byte, uri string) []byte {
	for item := range jsonrpc.Elements(jsonrpc.Get(result, "contents")) {
		if jsonrpc.Text(item, "uri") == uri {
			return item
		}
	}
	return nil
}

// Content returns the bytes of these contents, exactly as the server has them.
func Content(result []byte, uri string) (content []byte, ok bool) {
	return bytesOf(Contents(result, uri))
}

// Labels returns the names of skills, with the path if several share a name.
func Labels(entries []Entry) []string {
	count := map[string]int{}
	for _, e := range entries {
		count[e.Name]++
	}
	labels := make([]string, len(entries))
	for i, e := range entries {
		if labels[i] = e.Name; count[e.Name] > 1 || e.Name == "" {
			labels[i] = e.Path() + e.Name
		}
		if labels[i] == "" {
			labels[i] = e.URI
		}
	}
	return labels
}
