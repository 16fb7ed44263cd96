package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mcptea/internal/schema/variables"
	"mcptea/offer/invoke"
)

// reader reads arguments as on a command line, with the files of the script.
func (r *run) reader() invoke.Reader {
	return invoke.Reader{File: func(word string) ([]byte, string, error) {
		content, err := r.content(word)
		return content, word, err
	}}
}

// params returns the params of send and notify, or nil.
func (r *run) params(words []string) ([]byte, error) {
	if len(words) < 2 {
		return nil, nil
	}
	return r.json(words[1])
}

// content returns a word, or the contents of the file that it names.
func (r *run) content(word string) ([]byte, error) {
	name, ok := strings.CutPrefix(word, "@")
	if !ok {
		return []byte(word), nil
	}
	var content []byte
	var err error
	if r.outside != nil {
		content = r.outside.content(r.script, name)
	} else if content, err = r.script.file(name); err != nil {
		return nil, err
	}
	text, err := variables.ExpandWord(string(content), r.value)
	return []byte(text), err
}

// json returns content that must be JSON, on one line.
func (r *run) json(word string) ([]byte, error) {
	content, err := r.content(word)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, new(json.RawMessage)); err != nil {
		return nil, fmt.Errorf("%s is not valid JSON: %w", short([]byte(word)), err)
	}
	content = bytes.TrimSpace(content)
	if !bytes.ContainsAny(content, "\r\n") {
		return content, nil
	}
	var one bytes.Buffer
	err = json.Compact(&one, content)
	return one.Bytes(), err
}
