// Package manual prints the pages of the documentation in a terminal or a pipe. The pages are
// Markdown and part of the program.
package manual

import (
	"io/fs"
	"slices"
	"strings"
	"sync"

	"mcptea/docs"
	"mcptea/internal/lazyregexp"
)

// Topic is a page that mcptea help prints.
type Topic struct {
	Name  string // name of the file, without its extension
	About string // subject of the page, in some words
	Group string // the heading of its part in the list of pages
}

// The pages that mcptea explain prints, from the catalogs that docs/rules.md and
// docs/probes.md are made of.
const (
	Rules  = "rules"
	Probes = "probes"
)

var (
	// row matches a row of the list of pages: links, and the question that they answer.
	row = lazyregexp.New(`(?m)^\| (\*\*[^|]+\*\*|\[[^|]+) \| ([^|\n]*)\|$`)
	// pageLink is a link to a page.
	pageLink = lazyregexp.New(`\[([a-z-]+)\.md\]\([a-z-]+\.md\)`)
)

// Topics returns the pages in the order of docs/README.md.
func Topics() []Topic { return slices.Clone(listed()) }

// listed are the topics, which are part of the program.
var listed = sync.OnceValue(func() (topics []Topic) {
	group := ""
	for _, m := range row().FindAllStringSubmatch(page("README"), -1) {
		if heading, ok := strings.CutPrefix(m[1], "**"); ok {
			group = strings.TrimSuffix(heading, "**")
			continue
		}
		for _, link := range pageLink().FindAllStringSubmatch(m[1], -1) {
			if name := link[1]; has(name) {
				topics = append(topics, Topic{name, strings.TrimSpace(strings.ReplaceAll(m[2], "`", "")), group})
			}
		}
	}
	return topics
})

// Find returns the topic of a word: its name, or the file of the page as other texts name it.
func Find(word string) (Topic, bool) {
	word = strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(word), "docs/"), ".md")
	for _, t := range listed() {
		if t.Name == word {
			return t, true
		}
	}
	return Topic{}, false
}

// has reports whether mcptea help prints a page of this name.
func has(name string) bool {
	if name == Rules || name == Probes {
		return true
	}
	_, err := fs.Stat(docs.Pages, name+".md")
	return err == nil
}

// page returns the text of a page; empty for one that the program does not have.
func page(name string) string {
	text, err := fs.ReadFile(docs.Pages, name+".md")
	if err != nil {
		return ""
	}
	return comment().ReplaceAllString(string(text), "")
}

// comment matches text that readers of a page do not see, such as text for when the program has a URL. In a
// page of a server, in contrast, hidden text is shown.
var comment = lazyregexp.New(`(?s)<!--.*?-->\n?`)

// of maps commands to their topics, if these have another name or there are several. Subcommands have the
// topics of their command.
var of = map[string]string{
	"app": "apps", "auth": "authorization tls", "call": "requests results", "check": "check probes ci", "complete": "requests",
	"config": "config themes keys", "demo": "tap", "explain": "rules probes", "info": "troubleshooting clients cards", "lint": "rules ci",
	"list": "requests models events", "listen": "listen events", "mcp": "agents", "open": "open branches clients", "prompt": "requests", "read": "requests",
	"run": "script pins", "send": "requests", "servers": "hosts", "skill": "skills", "task": "listen",
}

// Of returns the topics about a command. It returns none if the help of the command is enough.
func Of(command string) []Topic {
	names, ok := of[command]
	if !ok {
		names = command
	}
	var topics []Topic
	for name := range strings.FieldsSeq(names) {
		if t, found := Find(name); found {
			topics = append(topics, t)
		}
	}
	return topics
}
