package peer

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"path"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// SkillFile is a file of a skill (SEP-2640).
type SkillFile struct {
	Path string `json:"path"` // path in the directory of the skill
	Text string `json:"text"`
	Blob []byte `json:"blob"` // content of a file that is not text
}

func (f *SkillFile) data() []byte {
	if f.Blob != nil {
		return f.Blob
	}
	return []byte(f.Text)
}

func (f *SkillFile) mimeType() string {
	switch kind := path.Ext(f.Path); {
	case kind == ".md":
		return "text/markdown"
	case f.Blob == nil:
		return "text/plain"
	default:
		kind, _, _ = strings.Cut(mime.TypeByExtension(kind), ";")
		return kind
	}
}

// contents returns the file as the contents of a resource.
func (f *SkillFile) contents(uri string) json.RawMessage {
	if f.Blob != nil {
		return Encode(map[string]string{"uri": uri, "mimeType": f.mimeType(), "blob": base64.StdEncoding.EncodeToString(f.Blob)})
	}
	return Encode(map[string]string{"uri": uri, "mimeType": f.mimeType(), "text": f.Text})
}

const mainFile = "SKILL.md"

// ListFiles adds the digest and the size of each file to the entry of a skill, unless the entry declares its
// files as dynamic.
func (e *Entry) ListFiles() {
	if jsonrpc.Get(e.Wire, "resources") != nil {
		return
	}
	var all []any
	for _, f := range e.Files {
		all = append(all, struct {
			URI    string `json:"uri"`
			Digest string `json:"digest"`
			Size   int    `json:"size"`
		}{e.root() + f.Path, fmt.Sprintf("sha256:%x", sha256.Sum256(f.data())), len(f.data())})
	}
	e.Wire = append(jsonrpc.AppendMember(e.Wire[:len(e.Wire)-1:len(e.Wire)-1], "resources", Encode(all)), '}')
}

// root returns the directory of a skill, with a slash at its end.
func (e *Entry) root() string { return strings.TrimSuffix(e.Key, mainFile) }

// skillFiles returns the files of all skills by their URIs.
func (c *Call) skillFiles() map[string]*SkillFile {
	if c.server().method(c.Revision(), revision.Skills.Method) == nil {
		return nil
	}
	all := map[string]*SkillFile{}
	for _, e := range c.server().list(revision.Skills.Name) {
		for i := range e.Files {
			all[e.root()+e.Files[i].Path] = &e.Files[i]
		}
	}
	return all
}

// mainFiles returns the SKILL.md of the skills as entries of resources/list.
func (c *Call) mainFiles() (all []any) {
	files := c.skillFiles()
	for _, e := range c.server().list(revision.Skills.Name) {
		if f := files[e.Key]; f != nil {
			all = append(all, resourceOf(e.Key, jsonrpc.Text(e.Wire, "frontmatter", "name"), jsonrpc.Text(e.Wire, "frontmatter", "description"), f))
		}
	}
	return all
}

func resourceOf(uri, name, description string, f *SkillFile) any {
	return struct {
		URI         string `json:"uri"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		MIMEType    string `json:"mimeType"`
		Size        int    `json:"size"`
	}{uri, name, description, f.mimeType(), len(f.data())}
}

func getSkill(_ context.Context, c *Call) (any, error) {
	uri, err := c.param("uri")
	if err != nil {
		return nil, err
	}
	e := c.entry(revision.Skills, uri)
	if e == nil {
		return nil, invalidParams("no skill has the URI %s", uri)
	}
	return map[string]any{"skill": revision.Skills.Shape.Fit(e.Wire, c.Revision())}, nil
}

// readDirectory lists the direct entries of a directory of a skill.
func readDirectory(_ context.Context, c *Call) (any, error) {
	uri, err := c.param("uri")
	if err != nil {
		return nil, err
	}
	files := c.skillFiles()
	var all []any
	directories := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		below, ok := strings.CutPrefix(file, uri+"/")
		name, _, deeper := strings.Cut(below, "/")
		switch {
		case !ok:
		case !deeper:
			all = append(all, resourceOf(file, name, "", files[file]))
		case !directories[name]:
			directories[name] = true
			all = append(all, map[string]string{"uri": uri + "/" + name, "name": name, "mimeType": "inode/directory"})
		}
	}
	if all == nil {
		return nil, invalidParams("%s is not a directory of a skill", uri)
	}
	return page(c, "resources", all)
}
