package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/client/hosts"
	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/system/sourcefile"
	"mcptea/internal/words/phrase"
)

// maxNeighbors bounds how many files of a directory are compared with a name.
const maxNeighbors = 10_000

// NearFiles returns a question with the files of a directory whose names are similar to the name of a file that does not exist
// there, or "".
func NearFiles(path string) string {
	dir, name := filepath.Split(path)
	var names []string
	if opened, err := os.Open(filepath.Clean(dir + ".")); err == nil {
		names, _ = opened.Readdirnames(maxNeighbors)
		_ = opened.Close()
	}
	near := phrase.Nearest(name, names)
	for i := range near {
		near[i] = dir + near[i]
	}
	return OneOf(near)
}

// maxSniffed bounds the part of a file that is read to detect its type, in bytes.
const maxSniffed = 1 << 20

// beginningOf returns the text at the start of a regular file, without a byte order mark and the white space around it, or nil if it cannot be
// read.
func beginningOf(name string) []byte {
	file, _, err := system.OpenRegular(name)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	text, _ := io.ReadAll(io.LimitReader(file, maxSniffed)) // the bytes read before an error count
	return bytes.TrimSpace(system.WithoutMark(text))
}

// FileError returns a usage error for a file that a command cannot read: with similar names if it does not exist, or the
// command that reads files of its kind. hint is for the other errors.
func FileError(command, name string, err error, hint string) error {
	if errors.Is(err, fs.ErrNotExist) {
		if near := NearFiles(name); near != "" {
			hint = near
		}
		return Usage(hint, "%v", err)
	}
	if use := ReaderOf(command, name); use != "" {
		hint = use
	}
	return Usage(hint, "%s: %v", name, err)
}

// ReaderOf returns a sentence with the command line that reads a file, from the content of the file, or ""
// if only the named command reads it.
func ReaderOf(command, name string) string {
	text := beginningOf(name)
	if len(text) == 0 {
		return ""
	}
	line := func(words ...string) string {
		joined, err := shell.Bash.Join(shell.Literals(words...))
		if err != nil {
			return ""
		}
		return joined
	}
	kind := kindOf(name, text)
	if kind == "source" {
		c, _ := sourcefile.Finder{}.Find(name)
		return "It is source code. To start the server: " + line(append([]string{"mcptea", "--"}, c.Argv...)...)
	}
	for _, use := range fileUses {
		if use.kind != kind {
			continue
		}
		if use.words[0] == command {
			return ""
		}
		if kind == "servers" {
			name += entryIn(text)
		}
		words := append([]string{"mcptea"}, use.words...)
		return use.sentence + line(append(words, name)...)
	}
	return ""
}

// entryIn returns # and the name of the first of several servers in a file, or "" if it has one.
func entryIn(text []byte) string {
	for _, member := range hosts.RootKeys {
		servers, _ := jsonrpc.Member(text, member)
		first, n := "", 0
		for name := range jsonrpc.Members(servers) {
			if n++; n == 1 {
				first = string(name)
			}
		}
		if n > 1 {
			return "#" + first
		}
	}
	return ""
}

// fileUses are the kinds of files and the commands that read them.
var fileUses = []struct {
	kind, sentence string
	words          []string
}{
	{kind: "recording", sentence: "It is a recording. To look at it: ", words: []string{"open"}},
	{kind: "servers", sentence: "It is a list of servers. To connect to one: ", words: []string{"info"}},
	{kind: "script", sentence: "It is a script. To run it: ", words: []string{"run"}},
	{kind: "frames", sentence: "It has frames, but not the header of a recording. To check them: ", words: []string{"lint"}},
}

// webPage is the beginning of a page of HTML.
var webPage = lazyregexp.New(`(?i)^<(!doctype html|html)\b`)

// kindOf returns the kind of a file, from its name and the beginning of its text: a kind of [fileUses],
// source, web, http, message, json, or "" for any other file.
func kindOf(name string, text []byte) string {
	first, _, several := bytes.Cut(text, []byte("\n"))
	switch has := hasMembers(first); {
	case has("mcptea"):
		return "recording"
	case strings.EqualFold(filepath.Ext(name), ".txtar"):
		return "script"
	case webPage().Match(text):
		return "web"
	}
	if has := hasMembers(text); jsonrpc.TypeOf(text) == "object" && json.Valid(text) {
		log, _ := jsonrpc.Member(text, "log")
		switch {
		case hasServers(text):
			return "servers"
		case several && has("jsonrpc"):
			return "message"
		case !several && has("jsonrpc", "method", "result", "error"):
			return "frames"
		case hasMembers(log)("entries"):
			return "http"
		}
		return "json"
	}
	c, found := sourcefile.Finder{}.Find(name)
	switch {
	case found && len(c.Argv) > 0 && c.Lacks == "":
		return "source"
	case hasMembers(first)("jsonrpc"):
		return "frames"
	case strings.EqualFold(filepath.Ext(name), ".har"):
		return "http"
	}
	return ""
}

// hasMembers returns a function that reports whether JSON is an object with one of some members.
func hasMembers(object []byte) func(names ...string) bool {
	return func(names ...string) bool {
		return json.Valid(object) && slices.ContainsFunc(names, func(name string) bool {
			_, has := jsonrpc.Member(object, name)
			return has
		})
	}
}

// hasServers reports whether an object has servers by name.
func hasServers(object []byte) bool {
	return slices.ContainsFunc(hosts.RootKeys, func(member string) bool {
		value, has := jsonrpc.Member(object, member)
		return has && jsonrpc.TypeOf(value) == "object"
	})
}

// NotFrames returns the reason why the frames of a file are not linted: it is a web page, HTTP traffic, or one JSON value of
// another kind. It returns "" for another file.
func NotFrames(name string) (why, hint string) {
	text := beginningOf(name)
	if len(text) == 0 {
		return "", ""
	}
	quoted, err := shell.Bash.Join(shell.Literals(name))
	if err != nil {
		return "", ""
	}
	const export = "If mcptea export wrote it, lint the recording instead: mcptea lint FILE.mcptea.jsonl"
	switch kindOf(name, text) {
	case "servers":
		return "it is a list of servers, not frames", ReaderOf("lint", name) + "\nTo find mistakes in the files of applications: mcptea servers"
	case "web":
		return "it is a web page, not frames", export
	case "http":
		return "it is HTTP traffic (HAR), not frames", export
	case "message":
		return "it is one message over several lines, but a frame is one line", "To lint it as one line: jq -c . " + quoted + " | mcptea lint -"
	case "json":
		return "it is JSON of another kind, not frames", "A frame is a JSON object with \"jsonrpc\", on a line of its own or after other text."
	}
	return "", ""
}
