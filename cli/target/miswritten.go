package target

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client/hosts"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
)

// miswritten reports the word at an index if it names a server, a package or an image in a form that other
// programs have, and proposes the form of mcptea. It returns nil for another word.
func (p *Target) miswritten(cmd *cobra.Command, words []string, i int) error {
	if err := wrongAddress(cmd, words, i); err != nil {
		return err
	}
	if err := packageName(cmd, words, i); err != nil {
		return err
	}
	return p.wrongName(cmd, words, i)
}

var (
	// npmPackage is the name of a package of npm with a scope, possibly with a version.
	npmPackage = lazyregexp.New(`^@[a-z0-9~-][a-z0-9._~-]*/[a-z0-9~-][a-z0-9._~-]*(@[A-Za-z0-9.^~*+-]+)?$`)
	// plainPackage is the name of a package that has server or mcp in it, as most packages of servers do.
	plainPackage = lazyregexp.New(`^[a-z0-9][a-z0-9._-]*(mcp|server)[a-z0-9._-]*(@[A-Za-z0-9.^~*+-]+)?$|^(mcp|server)-[a-z0-9._-]+$`)
	// ownerRepository is two names with a slash, which names of packages and images have.
	ownerRepository = lazyregexp.New(`^[a-z0-9][a-z0-9_-]*/[a-z0-9][a-z0-9_-]*$`)
	// image is the name of an image of containers: with a registry, or with a tag, or of the namespace for MCP.
	image = lazyregexp.New(`^((ghcr\.io|docker\.io|quay\.io|mcr\.microsoft\.com|gcr\.io|registry\.[a-z0-9.-]+|[a-z0-9-]+\.azurecr\.io)/[a-z0-9._/-]+(:[A-Za-z0-9._-]+)?|mcp/[a-z0-9._-]+(:[A-Za-z0-9._-]+)?|[a-z0-9_-]+/[a-z0-9._/-]+:[A-Za-z0-9._-]+)$`)
)

// schemeOfPackages maps the words that other programs put before the name of a package to the command that
// starts the package.
var schemeOfPackages = map[string][]string{
	"npm": {"npx", "-y"}, "npx": {"npx", "-y"}, "pypi": {"uvx"}, "uvx": {"uvx"}, "pip": {"uvx"}, "docker": {"docker", "run", "-i", "--rm"}, "oci": {"docker", "run", "-i", "--rm"}, "github": {"npx", "-y"},
}

// imageOf returns a word that is the name of an image, or "".
func imageOf(word string) string {
	if host, _, _ := strings.Cut(word, "/"); !image().MatchString(word) || isLocal(strings.Split(host, ":")[0]) {
		return ""
	}
	return word
}

// packageName reports a word that is the name of a package or an image, and proposes the command that starts it. It
// returns nil for another word.
func packageName(cmd *cobra.Command, words []string, i int) error {
	word := words[i]
	if _, err := os.Lstat(word); err == nil {
		return nil
	}
	line := func(argv ...string) string { return lineOf(cmd, words[:i], append([]string{"--"}, argv...)...) }
	scheme, name, found := strings.Cut(word, ":")
	switch {
	case npmPackage().MatchString(word):
		return app.Usage("To start the package: "+line(append([]string{"npx", "-y"}, words[i:]...)...), "%q is the name of a package of npm, not a command or a file", word)
	case imageOf(word) != "":
		return app.Usage("To start the image: "+line(append([]string{"docker", "run", "-i", "--rm"}, words[i:]...)...), "%q is the name of an image, not a command or a file", word)
	case found && schemeOfPackages[scheme] != nil && name != "" && !strings.HasPrefix(name, "/") && !system.IsPort(strings.SplitN(name, "/", 2)[0]):
		if scheme == "github" {
			name = word
		}
		return app.Usage("To start it: "+line(slices.Concat(schemeOfPackages[scheme], []string{name}, words[i+1:])...), "%q is the name of a package, not a command or a file", word)
	case plainPackage().MatchString(word) && !hasEnding(word) && AsURL(word) == "" && !IsProgram(word):
		return app.Usage(fmt.Sprintf("If it is a package of npm: %s\nIf it is a package of PyPI: %s", line(append([]string{"npx", "-y"}, words[i:]...)...), line(append([]string{"uvx"}, words[i:]...)...)),
			"%q is neither a configured server, nor a program on PATH", word)
	}
	return nil
}

// wrongName reports a word that names a configured server in another form than HOST/NAME or FILE#NAME, or an entry
// that does not exist. It returns nil for another word.
func (p *Target) wrongName(cmd *cobra.Command, words []string, i int) error {
	word := words[i]
	if _, err := os.Lstat(word); err == nil && !(isServerFile(word) && i+1 < len(words)) {
		return nil
	}
	if file, name := fileOf(word); file != "" {
		return app.Usage("Did you mean "+file+"#"+name+"?", "%q is not the name of a server: an entry of a file is FILE#NAME", word)
	}
	if isServerFile(word) { // FILE NAME
		if !hasServer(word, words[i+1]) {
			return nil
		}
		return app.Usage("Did you mean "+word+"#"+words[i+1]+"?", "%q is followed by a word: an entry of a file is FILE#NAME", word)
	}
	ids, name := hostNotation(word)
	if len(ids) == 0 || IsProgram(word) {
		return p.nearName(word)
	}
	c, m, err := Discover(p.Ctx, ids...)
	if err != nil {
		return nil
	}
	var there []*hosts.Server
	var entries []string
	for _, s := range c.Servers {
		if slices.Contains(ids, s.Host) && s.Effective {
			there, entries = append(there, s), append(entries, s.ID())
		}
	}
	var called []string
	for _, id := range ids {
		called = append(called, hosts.HostName(id))
	}
	verb := "has"
	if len(called) > 1 {
		verb = "have"
	}
	hint := app.OneOf(EntriesLike(there, name))
	switch lines := Unread(c, m); {
	case hint != "":
	case len(lines) > 0:
		hint = "The file cannot be read:\n  "
		if len(lines) > 1 {
			hint = "The files cannot be read:\n  "
		}
		hint += strings.Join(safeLines(lines), "\n  ")
	case len(entries) > 0:
		hint = "The entries are " + display.Sanitize(phrase.JoinFirst(entries, 8)) + "."
	default:
		hint = "There is no entry on this machine."
	}
	if slices.Contains(ids, "docker") {
		hint += "\nIf it is an image: " + lineOf(cmd, words[:i], append([]string{"--", "docker", "run", "-i", "--rm"}, words[i:]...)...)
	}
	return app.Usage(hint+"\nmcptea servers lists the servers of all applications.", "%s %s no server with the name %q", strings.Join(called, " and "), verb, name)
}

// EntriesLike returns the ids of the entries with a name, in upper or lower case, or otherwise of those with similar names.
func EntriesLike(entries []*hosts.Server, name string) (ids []string) {
	var names []string
	add := func(is func(of string) bool) {
		for _, s := range entries {
			if is(s.Name) && !slices.Contains(ids, s.ID()) {
				ids = append(ids, s.ID())
			}
		}
	}
	for _, s := range entries {
		names = append(names, s.Name)
	}
	add(func(of string) bool { return strings.EqualFold(of, name) })
	if len(ids) == 0 {
		for _, near := range phrase.Nearest(name, names) {
			add(func(of string) bool { return of == near })
		}
	}
	return ids
}

// hasServer reports whether a file has a server with a name.
func hasServer(file, name string) bool {
	c, _ := ServersIn(file)
	return name != "" && c != nil && slices.ContainsFunc(c.Servers, func(s *hosts.Server) bool { return s.Matches(name) })
}

// hostNotation returns the hosts that a word such as cursor/files, Cursor:files or files@cursor may name, and the name of
// the entry. It returns no host for another word.
func hostNotation(word string) (ids []string, name string) {
	for _, sep := range []string{"/", ":", "@"} {
		host, name, found := strings.Cut(word, sep)
		if sep == "@" {
			host, name = name, host
		}
		if !found || host == "" || name == "" || strings.ContainsAny(name, "/\\ ") {
			continue
		}
		if ids := hostsNamed(host); len(ids) > 0 {
			return ids, name
		}
	}
	return nil, ""
}

// hostsNamed returns the ids of the hosts with a name: an id, the name that people read, or the beginning of ids, such as
// claude.
func hostsNamed(word string) (ids []string) {
	lower := strings.ToLower(strings.ReplaceAll(word, " ", "-"))
	for _, id := range append(hosts.IDs(), settings.OwnHost) {
		if id == lower || strings.EqualFold(hosts.HostName(id), word) {
			return []string{id}
		}
		if strings.HasPrefix(id, lower+"-") {
			ids = append(ids, id)
		}
	}
	return ids
}

// nearName reports a word that is nearly the name of a configured server, or nil.
func (p *Target) nearName(word string) error {
	if isPath(word) || strings.ContainsAny(word, "=:{ ") || IsProgram(word) {
		return nil
	}
	c, _, err := Discover(p.Ctx)
	if err != nil {
		return nil
	}
	var names []string
	for name := range p.Configured.Servers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, s := range c.Servers {
		if s.Effective && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	if slices.Contains(names, word) {
		return nil
	}
	near := app.OneOf(slices.DeleteFunc(phrase.Nearest(word, names), func(name string) bool {
		return phrase.EditDistance(strings.ToLower(name), strings.ToLower(word)) > 2 // a part of a word is hardly meant
	}))
	if near == "" || p.unusable(word) != "" {
		return nil
	}
	return app.Usage(near+"\nmcptea servers lists the configured servers.", "%q is neither a configured server, nor a program on PATH", word)
}
