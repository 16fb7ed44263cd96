package facts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/internal/lazyregexp"
	"mcptea/internal/system"
	"mcptea/record/stderr"
)

// A Package is an installed package of Node.js or Python.
type Package struct {
	Name    string
	Version string // version on disk, or "" if it cannot be read
	Dir     string // node_modules or site-packages directory
}

// String returns the name and the version.
func (p Package) String() string { return strings.TrimSpace(p.Name + " " + p.Version) }

// Packages holds the packages that the output of a process names by their paths.
type Packages struct {
	Named   []Package // packages in the lines of errors, at most [maxPackages]
	Crashed Package   // package in whose code the error occurred, or the zero value
	Caller  Package   // other package that called it, or the zero value
	Runtime string    // name and version, such as Node.js 22.11.0, if the output has them
}

// maxPackages bounds the packages whose versions are read.
const maxPackages = 3

var (
	// packagePath matches a path below the last directory for packages, and the name of the package.
	packagePath = lazyregexp.New(`((?:[A-Za-z]:|/)[^\s'"():;,]*[/\\](?:node_modules|site-packages|dist-packages)[/\\])((?:@[\w.-]+[/\\])?\w[\w.-]*)`)
	// versionedPath matches a path below a directory with modules of Go, gems of Ruby or crates of Rust, and the name and version.
	versionedPath = lazyregexp.New(`((?:[A-Za-z]:|/)[^\s'"():;,]*[/\\](?:pkg[/\\]mod|gems|registry[/\\]src[/\\][^/\\]+)[/\\])([^\s'"():;,]*?)[@-]v?(\d+\.\d[\w.+-]*)[/\\]`)
	nodeRuntime   = lazyregexp.New(`^Node\.js v([\d.]+)`)
)

// PackagesIn returns the packages that lines of output name. If isHere is set, the process ran on this machine,
// and PackagesIn reads their versions from disk. The paths in a recording are from another machine.
func PackagesIn(lines []string, isHere bool) (p Packages) {
	read := func(one Package) Package {
		if isHere && !strings.HasPrefix(filepath.ToSlash(one.Dir), "//") { // no network path is opened
			return one.read()
		}
		return one
	}
	if version := NodeVersion(lines); version != "" {
		p.Runtime = "Node.js " + version
	}
	for _, l := range lines {
		if !strings.Contains(l, "rror") || len(stderr.FilesIn([]string{l})) > 0 {
			continue
		}
		for _, m := range packagePath().FindAllStringSubmatch(l, -1) {
			named := packageOf(m)
			if len(p.Named) < maxPackages && !slices.ContainsFunc(p.Named, func(other Package) bool { return other.Name == named.Name && other.Dir == named.Dir }) {
				p.Named = append(p.Named, read(named))
			}
		}
	}
	for i, file := range stderr.FilesIn(lines) {
		of, ok := packageAt(file)
		switch {
		case i == 0:
			p.Crashed = read(of)
		case ok && of.Name != p.Crashed.Name:
			p.Caller = read(of)
		}
		if p.Crashed.Name == "" || p.Caller.Name != "" {
			break
		}
	}
	return p
}

// NodeVersion returns the version that Node.js prints last when an error ends it, or "".
func NodeVersion(lines []string) string {
	for _, l := range slices.Backward(lines) {
		if m := nodeRuntime().FindStringSubmatch(l); m != nil {
			return m[1]
		}
	}
	return ""
}

// packageAt returns the package of a file.
func packageAt(file string) (Package, bool) {
	if m := packagePath().FindStringSubmatch(file); m != nil {
		return packageOf(m), true
	}
	if m := versionedPath().FindStringSubmatch(file); m != nil {
		of := packageOf(m)
		of.Version = m[3]
		return of, true
	}
	return Package{}, false
}

func packageOf(m []string) Package {
	return Package{Name: strings.ReplaceAll(m[2], `\`, "/"), Dir: filepath.Clean(m[1])}
}

// maxManifest bounds the part of a package.json that is read, in bytes.
const maxManifest = 256 << 10

// read returns the package with its version on disk.
func (p Package) read() Package {
	if p.Version != "" || p.Name == "" {
		return p
	}
	if !strings.HasSuffix(p.Dir, "-packages") {
		text, _, err := system.ReadRegular(filepath.Join(p.Dir, filepath.FromSlash(p.Name), "package.json"), maxManifest)
		var manifest struct{ Version string }
		if err == nil && json.Unmarshal(text, &manifest) == nil {
			p.Version = manifest.Version
		}
		return p
	}
	entries, _ := os.ReadDir(p.Dir)
	for _, e := range entries { // NAME-VERSION.dist-info
		name, isInfo := strings.CutSuffix(e.Name(), ".dist-info")
		of, version, ok := strings.Cut(name, "-")
		if isInfo && ok && strings.EqualFold(of, p.Name) {
			p.Version = version
		}
	}
	return p
}
