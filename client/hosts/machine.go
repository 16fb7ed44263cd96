package hosts

import (
	"io/fs"
	"strings"
	"unicode"
)

// maxFileBytes is the largest file that is read. The files of some hosts contain
// their state as well, and grow.
const maxFileBytes = 16 << 20

// maxEntries is the number of servers that are read from one file.
const maxEntries = 1000

// Machine describes a computer for discovery.
type Machine struct {
	OS      string // system, as in runtime.GOOS
	Home    string // home directory of the user
	Dir     string // working directory
	Project string // root of the project that contains Dir

	LookupEnv func(name string) (string, bool)
	// Read returns the content of a regular file of at most limit bytes, and its mode.
	Read func(path string, limit int64) ([]byte, fs.FileMode, error)
	// Exists reports whether there is a file or a directory, even one that cannot be reached: a link that leads to
	// itself, or a path in a directory of another user.
	Exists func(path string) bool
	// Names returns the names in a directory, or none if it cannot be read.
	Names func(dir string) []string
	// LookPath returns the file of a program on PATH.
	LookPath func(name string) (string, bool)
	// Tracked reports whether a file is under version control.
	Tracked func(path string) bool
	// Trusted reports whether the user has declared a project as trusted in a host.
	Trusted func(host, project string) bool
}

func (m *Machine) env(name string) string {
	value, _ := m.LookupEnv(name)
	return value
}

func (m *Machine) separator() string {
	if m.OS == "windows" {
		return `\`
	}
	return "/"
}

// join joins the elements of a path with the separator of the machine.
func (m *Machine) join(base string, rest string) string {
	sep := m.separator()
	if m.OS == "windows" {
		rest = strings.ReplaceAll(rest, "/", sep)
	}
	rest = strings.TrimPrefix(rest, sep)
	for strings.HasPrefix(rest, "."+sep) {
		rest = rest[2:]
	}
	if rest == "" {
		return base
	}
	return strings.TrimSuffix(base, sep) + sep + rest
}

// dirOf returns the directory of a file; the root directory for one in it.
func (m *Machine) dirOf(path string) string {
	i := strings.LastIndexAny(path, m.slashes())
	switch {
	case i > 0:
		return path[:i]
	case i == 0:
		return path[:1]
	}
	return "."
}

func (m *Machine) slashes() string {
	if m.OS == "windows" {
		return `/\`
	}
	return "/"
}

// WindowsPath reports an absolute path of Windows: with the letter of a drive, or of a share.
func WindowsPath(path string) bool {
	return len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') && unicode.IsLetter(rune(path[0])) || strings.HasPrefix(path, `\\`)
}

// isAbs reports whether a path does not depend on the working directory.
func (m *Machine) isAbs(path string) bool {
	if m.OS == "windows" {
		return WindowsPath(path)
	}
	return strings.HasPrefix(path, "/")
}

// short writes a path with ~ for the home directory.
func (m *Machine) short(path string) string {
	if rest, ok := strings.CutPrefix(path, m.Home+m.separator()); ok && m.Home != "" {
		return "~" + m.separator() + rest
	}
	return path
}

// applications returns the directory of the settings of applications.
func (m *Machine) applications() string {
	switch m.OS {
	case "darwin":
		return m.join(m.Home, "Library/Application Support")
	case "windows":
		if dir := m.env("APPDATA"); dir != "" {
			return dir
		}
		return m.join(m.Home, "AppData/Roaming")
	}
	return m.xdgConfig()
}

// xdgConfig returns the directory of settings by the XDG Base Directory Specification.
func (m *Machine) xdgConfig() string {
	if dir := m.env("XDG_CONFIG_HOME"); m.isAbs(dir) {
		return dir
	}
	return m.join(m.Home, ".config")
}

// resolve returns the path of a place in the catalog on this machine. The first element is ~, CFG for the
// settings of applications, XDG for ~/.config or its variable, PROJ for the project, CWD for the working
// directory, LOCALAPPDATA or PROGRAMDATA. A variable, if it is set, replaces the part before the character |.
// resolve returns "" if the system has no such place.
func (m *Machine) resolve(path, variable string) string {
	before, after, ok := strings.Cut(path, "|")
	if ok && variable != "" && m.env(variable) != "" {
		return m.join(m.env(variable), after)
	}
	if before+after == "" {
		return "" // only the variable names the file
	}
	first, rest, _ := strings.Cut(before+after, "/")
	base := ""
	switch first {
	case "~":
		base = m.Home
	case "CFG":
		base = m.applications()
	case "XDG":
		base = m.xdgConfig()
	case "PROJ":
		base = m.Project
	case "CWD":
		base = m.Dir
	case "LOCALAPPDATA", "PROGRAMDATA":
		base = m.env(first)
	case "":
		return path // absolute
	default:
		if strings.HasSuffix(first, ":") {
			return strings.ReplaceAll(path, "/", m.separator())
		}
	}
	if base == "" {
		return ""
	}
	return m.join(base, rest)
}
