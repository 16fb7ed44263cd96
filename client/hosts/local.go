package hosts

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"mcptea/client/hosts/syntax"
	"mcptea/internal/system"
)

// LocalMachine returns the computer on which mcptea runs, as seen from a directory.
func LocalMachine(dir string) (*Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	m := &Machine{OS: runtime.GOOS, Home: home, Dir: dir, Project: projectOf(dir), LookupEnv: os.LookupEnv, Read: system.ReadRegular}
	m.Exists = func(path string) bool {
		_, err := os.Stat(path)
		return err == nil || errors.Is(err, fs.ErrPermission) || system.IsErrno(err, syscall.ELOOP)
	}
	m.Names = func(dir string) []string {
		entries, _ := os.ReadDir(dir)
		names := make([]string, 0, len(entries))
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	m.LookPath = func(name string) (string, bool) {
		path, err := exec.LookPath(name)
		return path, err == nil
	}
	m.Tracked = tracked
	m.Trusted = m.trusted
	return m, nil
}

// projectOf returns the nearest directory above dir with a Git repository, or dir itself.
func projectOf(dir string) string {
	for at := dir; ; {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		parent := filepath.Dir(at)
		if parent == at {
			return dir
		}
		at = parent
	}
}

// tracked reports whether Git has a file in its index. An index of version 4, which shortens paths, is not
// supported: the file then counts as not tracked.
func tracked(path string) bool {
	top := projectOf(filepath.Dir(path))
	git := filepath.Join(top, ".git")
	if data, _, err := system.ReadRegular(git, 1<<12); err == nil { // in a Git worktree, .git is a file that names the directory
		git = strings.TrimSpace(strings.TrimPrefix(string(data), "gitdir:"))
		if !filepath.IsAbs(git) {
			git = filepath.Join(top, git)
		}
	}
	rel, err := filepath.Rel(top, path)
	if err != nil {
		return false
	}
	index, _, err := system.ReadRegular(filepath.Join(git, "index"), 64<<20)
	return err == nil && inIndex(index, filepath.ToSlash(rel))
}

// inIndex reports whether an index of Git contains a path. The two bytes before the path hold its length.
func inIndex(index []byte, path string) bool {
	want := binary.BigEndian.AppendUint16(nil, uint16(min(len(path), 0xfff)))
	for at := 0; ; {
		i := bytes.Index(index[at:], append([]byte(path), 0))
		if i < 0 {
			return false
		}
		at += i
		if at > 2 {
			flags := binary.BigEndian.Uint16(index[at-2:]) & 0xfff
			// With extended flags, two more bytes precede the path.
			if flags == binary.BigEndian.Uint16(want) || at > 4 && binary.BigEndian.Uint16(index[at-4:])&0xfff == binary.BigEndian.Uint16(want) {
				return true
			}
		}
		at++
	}
}

// trusted reads which projects are trusted: Codex requires it, Gemini CLI when the
// user has switched folder trust on.
func (m *Machine) trusted(host, project string) bool {
	value := func(format syntax.Format, path string, keys ...string) string {
		data, _, err := m.Read(path, maxFileBytes)
		if err != nil {
			return ""
		}
		tree, err := syntax.Parse(format, data)
		if err != nil {
			return ""
		}
		return syntax.TextOf(tree.Root.Get(keys...))
	}
	switch host {
	case "codex":
		return value(syntax.TOML, m.resolve("~/.codex|/config.toml", "CODEX_HOME"), "projects", project, "trust_level") == "trusted"
	case "gemini-cli":
		on := value(syntax.JSONComments, m.join(m.Home, ".gemini/settings.json"), "security", "folderTrust", "enabled")
		return on != "true" || strings.HasPrefix(value(syntax.JSONComments, m.join(m.Home, ".gemini/trustedFolders.json"), project), "TRUST_")
	}
	return true
}
