package script

import (
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Outside holds the values that a request takes from outside of its script, which a script of others could send
// to a server.
type Outside struct {
	Request   string   // the line of the script, as written
	Variables []string // names of environment variables
	Files     []string // paths of files on the disk
	// Hash is of the request, and of the parts of the script that it has in it.
	Hash [sha256.Size]byte
}

// Empty reports that the request is all in the script.
func (o *Outside) Empty() bool { return len(o.Variables)+len(o.Files) == 0 }

// Outside returns the outside data that the request uses. It reads no variable, and no file.
func (x *Exchange) Outside() Outside {
	o := outside{}
	r := &run{script: x.script, outside: &o}
	// What cannot be read now cannot be sent either: the names up to there are enough.
	if words, err := r.expanded(x.request); err == nil {
		for _, word := range words {
			if strings.HasPrefix(word, "@") {
				_, _ = r.content(word)
			}
		}
	}
	h := sha256.New()
	_, _ = h.Write([]byte(x.request.text))
	for _, part := range o.parts {
		_, _ = h.Write([]byte{0})
		_, _ = h.Write(part)
	}
	slices.Sort(o.variables)
	slices.Sort(o.files)
	found := Outside{Request: x.request.text, Variables: slices.Compact(o.variables), Files: slices.Compact(o.files)}
	h.Sum(found.Hash[:0])
	return found
}

// outside collects the outside data that a request uses.
type outside struct {
	variables, files []string
	parts            [][]byte // parts of the script
}

// value returns something instead of an environment variable.
func (o *outside) value(name string) (json.RawMessage, error) {
	o.variables = append(o.variables, name)
	return json.Marshal("{{env." + name + "}}")
}

// content returns a part of the script; a file on the disk is not read.
func (o *outside) content(s *Script, name string) []byte {
	if i := s.member(name); i >= 0 {
		o.parts = append(o.parts, s.archive.Files[i].Data)
		return s.archive.Files[i].Data
	}
	o.files = append(o.files, s.path(name))
	return nil
}

// path returns the path of a file on the disk, relative to the script.
func (s *Script) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(s.Name), name)
}
