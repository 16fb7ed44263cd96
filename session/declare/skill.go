package declare

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/peer"
	"mcptea/offer/skill"
)

// skill reads a skill from its directory.
func (f *File) skill(s *source, at string, list revision.List, item []byte) (*entry, error) {
	dir := jsonrpc.Text(item, "dir")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(s.name), dir)
	}
	files, err := filesOf(dir)
	if err != nil {
		return nil, s.wrong(at+"/dir", "A skill is a directory with a SKILL.md, without symbolic links.", "cannot read the skill: %v", err)
	}
	e := &entry{list: list, files: files}
	var front []byte
	for _, file := range files {
		if file.Path == skill.MainFile {
			front, err = skill.Frontmatter([]byte(file.Text))
		}
	}
	name := jsonrpc.Text(front, "name")
	switch {
	case err != nil:
		return nil, s.wrong(at+"/dir", "", "the front matter of %s: %v", skill.MainFile, err)
	case front == nil:
		return nil, s.wrong(at+"/dir", "", "the directory has no %s", skill.MainFile)
	case name == "":
		return nil, s.wrong(at+"/dir", "", "the front matter of %s has no name", skill.MainFile)
	}
	if e.key = jsonrpc.Text(item, "uri"); e.key == "" {
		e.key = "skill://" + name + "/" + skill.MainFile
	}
	e.wire = jsonrpc.AppendMember(jsonrpc.AppendMember([]byte("{"), "uri", []byte(jsonrpc.Quote(e.key))), "frontmatter", front)
	if string(jsonrpc.Get(item, "dynamic")) == "true" {
		e.wire = jsonrpc.AppendMember(e.wire, "resources", []byte(`"dynamic"`))
	}
	e.wire = append(e.wire, '}')
	return e, nil
}

// filesOf returns the files in and below a directory. It fails if they are more, or larger in total, than hosts
// support, or if one is not a regular file.
func filesOf(dir string) (files []peer.SkillFile, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // closing after reading cannot lose data
	size := 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file", name)
		case len(files) == skill.MaxFiles:
			return fmt.Errorf("it has more than %d files", skill.MaxFiles)
		}
		data, err := fs.ReadFile(root.FS(), name)
		if err != nil {
			return err
		}
		if size += len(data); size > skill.MaxBytes {
			return errors.New("it has more than 16 MiB")
		}
		file := peer.SkillFile{Path: name, Text: string(data)}
		if !utf8.Valid(data) {
			file.Text, file.Blob = "", data
		}
		files = append(files, file)
		return nil
	})
	return files, err
}
