package browse

import (
	"bytes"
	"sort"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/session/schema"
	"mcptea/ui/schemaform"
)

// commandLine is the command that does what a call does. Secrets in headers
// are masked: what is copied tends to be passed on.
func commandLine(e *entry, args []byte, task wish, target client.Target) string {
	words := []string{"mcptea", e.shape.command}
	switch e.item.Kind {
	case "resources":
		words = append(words, e.item.URI)
	case "templates":
		uri, _ := expand(e.item.URI, args) // the template itself when it is none
		words = append(words, uri)
	default:
		words = append(words, e.item.Name)
		words = append(words, argumentWords(e, args)...)
	}
	if task.on {
		words = append(words, "--task")
	}
	if task.ttl > 0 {
		words = append(words, "--ttl", task.ttl.String())
	}
	for i := range words {
		words[i] = quote(words[i])
	}
	return strings.Join(append(words, targetWords(target)...), " ")
}

// argumentWords writes arguments the way the command line takes them:
// key=value, key:=JSON, or all of them as one object when a name would be
// misread.
func argumentWords(e *entry, args []byte) []string {
	var words []string
	for name, raw := range jsonrpc.Members(args) {
		key := string(name)
		if key == "" || strings.ContainsAny(key, "=:@{ ") || strings.HasPrefix(key, "-") {
			return []string{string(args)}
		}
		if text, ok := typed(e, key, raw); ok && !strings.HasPrefix(text, "@") {
			words = append(words, key+"="+text)
		} else {
			words = append(words, key+":="+string(raw))
		}
	}
	return words
}

// typed is a value as text that the schema turns back into the same value.
func typed(e *entry, name string, raw []byte) (string, bool) {
	fd, known := e.Schema.Field(name)
	if !known || fd.Kind == schema.JSON {
		return "", false
	}
	text := loose(raw)
	back, err := fd.Encode(text)
	return text, err == nil && bytes.Equal(schemaform.Compact(back), schemaform.Compact(raw))
}

func targetWords(t client.Target) []string {
	if t.IsStdio() {
		var words []string
		if t.Dir != "" {
			words = append(words, "--cwd", quote(t.Dir))
		}
		words = append(words, "--")
		for _, a := range t.Argv {
			words = append(words, quote(a))
		}
		return words
	}
	words := []string{"--url", quote(t.URL)}
	masked := secret.Header(t.Header)
	var names []string
	for name := range masked {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for _, v := range masked[name] {
			words = append(words, "-H", quote(name+": "+v))
		}
	}
	return words
}

// quote makes a word safe for a POSIX shell.
func quote(s string) string {
	plain := s != ""
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./:=@%+,", c)) {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
