package hosts

import (
	"context"
	"path"
	"slices"
	"strings"
)

// Configuration is the result of discovery.
type Configuration struct {
	// Servers holds the servers of all files, in the order of hosts and files. A host uses those with Effective
	// set.
	Servers []*Server
	// Problems holds the problems of files; the servers have the problems of their entries.
	Problems []Problem
	Files    []File // the files that were read; several hosts may read the same one
}

// File is a configuration file of a host.
type File struct {
	Host string `json:"host"` // id of the host that reads it
	Path string `json:"path"` // path of the file
}

// Discover reads the configuration of the hosts with the given ids; of all hosts
// without an id. It reads a host's files in the order of their precedence, and stops
// when the context is done.
func Discover(ctx context.Context, m *Machine, ids ...string) (*Configuration, error) {
	c := &Configuration{}
	for _, h := range allHosts() {
		if len(ids) > 0 && !slices.Contains(ids, h.ID) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return c, context.Cause(ctx)
		}
		files := readHost(m, h)
		for _, f := range files {
			c.Files = append(c.Files, File{h.ID, f.path})
		}
		precedence(h, m, files)
		for _, f := range files {
			c.Servers = append(c.Servers, f.servers...)
			c.Problems = append(c.Problems, f.problems...)
		}
	}
	return c, nil
}

// readHost reads the files of a host that exist.
func readHost(m *Machine, h *host) []*file {
	var files []*file
	seen := map[string]bool{}
	for i := range h.files {
		l := &h.files[i]
		if !l.existsOn(m.OS) {
			continue
		}
		for _, name := range m.match(m.resolve(l.Path, l.Variable)) {
			if seen[name] || !m.Exists(name) {
				continue
			}
			seen[name] = true
			f := &file{machine: m, host: h, location: l, path: name, dialect: l.dialect}
			f.load()
			files = append(files, f)
		}
	}
	return files
}

// match returns the files of a path with * in some of its elements.
func (m *Machine) match(pattern string) []string {
	if pattern == "" {
		return nil
	}
	sep := m.separator()
	before, _, ok := strings.Cut(pattern, "*")
	if !ok {
		return []string{pattern}
	}
	dir := m.dirOf(before + "x")
	element, after, more := strings.Cut(pattern[len(dir)+1:], sep)
	var found []string
	for _, name := range m.Names(dir) {
		if ok, err := path.Match(element, name); err != nil || !ok {
			continue
		}
		next := m.join(dir, name)
		if more {
			found = append(found, m.match(m.join(next, after))...)
			continue
		}
		found = append(found, next)
	}
	return found
}
