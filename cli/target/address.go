package target

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/system"
	"mcptea/internal/system/sourcefile"
	"mcptea/internal/words/phrase"
)

var (
	schemed = lazyregexp.New(`^([A-Za-z][A-Za-z0-9+.-]*)://`)
	// brokenScheme is the beginning of a URL whose colon or slashes are wrong.
	brokenScheme = lazyregexp.New(`(?i)^(https?)([:;.]*[/\\]+|:+)`)
	// portAlone is a port of this machine, possibly with a path. A number without a colon has at least four
	// digits, as the ports of servers do: a smaller one is hardly a port.
	portAlone = lazyregexp.New(`^(:[0-9]{1,5}|[1-9][0-9]{3,4})(/[^ ]*)?$`)
	// named is a URL after the name of an option.
	named = lazyregexp.New(`(?i)^-*(url|server|endpoint|uri|href)[=:](https?://.*)$`)
)

// unclean holds the characters around a URL that were copied with it.
const unclean = " \t\r\n\"'`<>()[],;"

// IsURL reports whether a word is a URL, with its scheme, in any case (RFC 3986, 3.1).
func IsURL(arg string) bool {
	scheme, _, found := strings.Cut(strings.TrimSpace(arg), "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// exactURL returns a URL without the blanks around it, and its scheme in lower case.
func exactURL(word string) string {
	word = strings.TrimSpace(word)
	if scheme, rest, found := strings.Cut(word, "://"); found && IsURL(word) {
		return strings.ToLower(scheme) + "://" + rest
	}
	return word
}

// AsURL returns the URL that a host with a port or a path may be short for, such as
// localhost:3000/mcp, or "" for other words.
func AsURL(word string) string {
	host, path, _ := strings.Cut(word, "/")
	name, port, hasPort := strings.Cut(host, ":")
	if _, err := strconv.ParseUint(port, 10, 16); hasPort && err != nil || !hostName().MatchString(name) || strings.ContainsAny(word, "= \\@") {
		return ""
	}
	local := isLocal(name)
	switch {
	case imageOf(word) != "" || schemeOfPackages[name] != nil && hasPort:
		return ""
	case !local && !hasPort && (!strings.Contains(name, ".") || path == ""):
		return ""
	case local || hasPort:
		return "http://" + word
	}
	return "https://" + word
}

// wrongAddress reports a word that is written like a URL and is not one, and proposes the URL that is
// probably meant. It returns nil for another word.
func wrongAddress(cmd *cobra.Command, words []string, i int) error {
	word := words[i]
	if _, err := os.Lstat(word); err == nil || IsProgram(word) {
		return nil
	}
	trimmed := strings.TrimRight(strings.Trim(word, unclean), ".")
	switch {
	case trimmed != word && IsURL(trimmed):
		return app.Usage("Did you mean "+trimmed+"?", "%q has characters around the URL", word)
	case named().MatchString(word):
		return app.Usage("Did you mean "+named().FindStringSubmatch(word)[2]+"?", "%q is not a URL, which begins with http:// or https://", word)
	case portAlone().MatchString(word):
		address := "http://127.0.0.1:" + strings.TrimPrefix(word, ":")
		if !strings.Contains(word, "/") {
			address += "/mcp"
		}
		if u, err := url.Parse(address); err != nil || !system.IsPort(u.Port()) {
			return nil
		}
		return app.Usage("Did you mean "+address+"?", "%q is a port, not the URL of a server", word)
	case strings.HasPrefix(word, "//") && AsURL(word[2:]) != "":
		return app.Usage("Did you mean "+AsURL(word[2:])+"?", "%q is a URL without its scheme", word)
	case schemed().MatchString(word) && !IsURL(word):
		return unknownScheme(cmd, words, i)
	case !IsURL(word) && brokenScheme().MatchString(word):
		m := brokenScheme().FindStringSubmatch(word)
		if rest := strings.TrimLeft(word[len(m[0]):], ":/\\"); rest != "" && !strings.HasPrefix(rest, ".") {
			return app.Usage("Did you mean "+strings.ToLower(m[1])+"://"+rest+"?", "%q is not a URL: %s is followed by :// in one", word, m[1])
		}
	}
	return nil
}

// asHTTP maps schemes that programs use for MCP over HTTP, or that a server may have besides, to the scheme of its URL.
var asHTTP = map[string]string{"ws": "http", "wss": "https", "sse": "http", "mcp": "http", "mcps": "https", "mcp+http": "http", "mcp+https": "https", "tcp": "http", "streamable-http": "http"}

// unknownScheme reports a URL with another scheme than http or https.
func unknownScheme(cmd *cobra.Command, words []string, i int) error {
	word := words[i]
	scheme := schemed().FindStringSubmatch(word)[1]
	lower, rest := strings.ToLower(scheme), word[len(scheme)+len("://"):]
	if instead := asHTTP[lower]; instead != "" {
		return app.Usage(fmt.Sprintf("MCP has two transports, stdio and HTTP. For a server that speaks HTTP on this port: %s://%s", instead, rest), "the URL has the unknown scheme %q", scheme)
	}
	switch lower {
	case "stdio", "file", "cmd", "command":
		path := rest
		if lower == "file" {
			path = strings.TrimPrefix(rest, "localhost")
		}
		argv := []string{path}
		if c, found := (sourcefile.Finder{}).Find(path); found && len(c.Argv) > 0 {
			argv = c.Argv
		} else if isServerFile(path) {
			return app.Usage("Name the file: "+lineOf(cmd, words[:i], path), "the URL has the unknown scheme %q", scheme)
		}
		return app.Usage("For a server over stdio write its command: "+lineOf(cmd, words[:i], append([]string{"--"}, argv...)...), "the URL has the unknown scheme %q", scheme)
	}
	for _, known := range []string{"https", "http"} {
		if phrase.EditDistance(lower, known) <= 1 {
			return app.Usage("Did you mean "+known+"://"+rest+"?", "the URL has the unknown scheme %q", scheme)
		}
	}
	if wordsOf[cmd.Name()].anything { // it may be the URI of a resource
		return nil
	}
	return app.Usage("MCP has two transports: name a command, or a URL that begins with http:// or https://.", "the URL has the unknown scheme %q", scheme)
}

// fileOf returns the path of a word such as FILE:NAME or FILE/NAME if FILE is a file with servers, and the rest.
func fileOf(word string) (file, name string) {
	for i, r := range word {
		if (r == ':' || r == '/' || r == '@' || r == '.') && i > 0 && i+1 < len(word) && isServerFile(filepath.Clean(word[:i])) {
			return word[:i], word[i+1:]
		}
	}
	return "", ""
}
