package hosts

import (
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
	"mcptea/client/secret"
)

// Choice is a value that an input can have, with the text that names it.
type Choice struct{ Label, Value string }

// Input is a value that a host asks its user for when it starts a server: ${input:ID}.
type Input struct {
	ID          string
	Type        string // promptString, pickString or command; empty if the file does not define the input
	Description string
	Default     string
	Password    bool
	Choices     []Choice // of pickString
}

// IsPrivate reports whether the value of the input may be a secret: it is typed without echo, and
// redacted. What a command of an editor returns is often a token.
func (in Input) IsPrivate() bool {
	return in.Password || in.Type != "promptString" && in.Type != "pickString" || secret.IsName(in.ID)
}

// inputPrefix begins a reference to an input; [forms] has the others of its syntax.
const inputPrefix = "${input:"

// Inputs returns the inputs that the entry refers to and that its host would ask for, as its file
// defines them and in the order of the file. Inputs of the same id in two files are two inputs.
func (s *Server) Inputs() (all []Input) {
	seen := map[string]bool{}
	s.references(func(r reference) {
		if strings.HasPrefix(r.text, inputPrefix) && !seen[r.name] {
			seen[r.name] = true
			all = append(all, s.file.input(r.name))
		}
	})
	if s.file != nil {
		slices.SortStableFunc(all, func(a, b Input) int { return s.file.inputAt(a.ID) - s.file.inputAt(b.ID) })
	}
	return all
}

// inputAt returns the index of an input in its file, or -1 if it is not defined.
func (f *file) inputAt(id string) int {
	f.indexInputs.Do(func() {
		f.inputsByID = map[string]int{}
		for i, item := range syntax.ItemsOf(f.root.Get("inputs")) {
			id := syntax.TextOf(item.Get("id"))
			if _, known := f.inputsByID[id]; !known {
				f.inputsByID[id] = i
			}
		}
	})
	if i, ok := f.inputsByID[id]; ok {
		return i
	}
	return -1
}

// input is the definition of an input.
func (f *file) input(id string) Input {
	if i := f.inputAt(id); i >= 0 {
		item := syntax.ItemsOf(f.root.Get("inputs"))[i]
		in := Input{ID: id, Type: syntax.TextOf(item.Get("type")), Description: syntax.TextOf(item.Get("description")), Default: syntax.TextOf(item.Get("default")), Password: syntax.TextOf(item.Get("password")) == "true"}
		for _, option := range syntax.ItemsOf(item.Get("options")) {
			c := Choice{Label: syntax.TextOf(option.Get("label")), Value: syntax.TextOf(option.Get("value"))}
			if len(option.Members) == 0 {
				c = Choice{Label: option.Text, Value: option.Text}
			}
			in.Choices = append(in.Choices, c)
		}
		return in
	}
	return Input{ID: id}
}

// Fill replaces the references to inputs in Expanded with their values, by id. A value is not
// expanded: it may contain what looks like a reference.
func (s *Server) Fill(values map[string]string) {
	if s.file == nil {
		return
	}
	s.Expanded = s.Expanded.converted(func(meaning role, text string) string {
		if s.file.dialect.supported(meaning)&inputs == 0 {
			return text
		}
		return replaceReferences(text, func(match string) string {
			if value, ok := values[parseReference(match).name]; ok && strings.HasPrefix(match, inputPrefix) {
				return value
			}
			return match
		})
	})
}

// references calls f with each reference in Expanded that the host would replace.
func (s *Server) references(f func(reference)) {
	if s.file == nil { // it was made by the caller
		return
	}
	s.Expanded.converted(func(meaning role, text string) string {
		for _, match := range referencesIn(text, maxReferences) {
			if r := parseReference(match); r.syntax&s.file.dialect.supported(meaning) != 0 {
				f(r)
			}
		}
		return text
	})
}
