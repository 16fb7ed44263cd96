package hosts

import (
	"slices"

	"mcptea/client/hosts/syntax"
	"mcptea/client/secret"
)

// Choice is a value that an input can have, with the text that names it.
type Choice struct{ Label, Value string }

// Input is a value that a host asks its user for before it starts a server: ${input:ID}.
type Input struct {
	ID          string
	Type        string // promptString, pickString or command; empty if the file does not define the input
	Description string
	Default     string
	Password    bool
	Choices     []Choice // options of a pickString
	// Bundle is the description of the value in the manifest of a bundle, or nil for another file.
	Bundle *BundleInput
}

// IsPrivate reports whether the value of the input may be a secret: it is typed without echo, and redacted. The
// output of a command of an editor is often a token.
func (in Input) IsPrivate() bool {
	return in.Password || in.Type != "promptString" && in.Type != "pickString" || secret.IsName(in.ID)
}

// inputPrefix begins a reference to an input; [forms] has the others of its syntax.
const inputPrefix = "${input:"

// Inputs returns the inputs that the entry refers to and that its host would ask for, as defined in
// its file and in the same order. Inputs with the same id in two files are different inputs.
func (s *Server) Inputs() (all []Input) {
	seen := map[string]bool{}
	s.references(func(r reference) {
		if r.isInput() && !seen[r.name] {
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
	if f.location.Reader == bundleReader {
		return slices.IndexFunc(f.userValues(), func(m *syntax.Node) bool { return m.Key == id })
	}
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

// input returns the definition of an input.
func (f *file) input(id string) Input {
	if f.location.Reader == bundleReader {
		return f.bundleInput(id)
	}
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
// expanded: it may contain what looks like a reference. An argument that is a reference becomes as many
// arguments as there are values; other references are replaced if there is one value.
func (s *Server) Fill(values map[string][]string) {
	if s.file == nil {
		return
	}
	var dirs map[string]string
	if s.IsBundle() {
		dirs = s.file.bundleDirs()
	}
	fill := func(meaning role, text string) string {
		supported := s.file.dialect.supported(meaning)
		if supported&(inputs|userConfig) == 0 {
			return text
		}
		return replaceReferences(text, func(match string) string {
			if dir, ok := dirs[match]; ok {
				return dir
			}
			r := parseReference(match)
			if value := values[r.name]; len(value) == 1 && r.isInput() && r.syntax&supported != 0 {
				return value[0]
			}
			return match
		})
	}
	var args []string
	for _, arg := range s.Expanded.Args {
		if list, ok := s.listIn(arg, values); ok {
			args = append(args, list...)
		} else {
			args = append(args, fill("args", arg))
		}
	}
	s.Expanded.Args = nil
	s.Expanded = s.Expanded.converted(fill)
	s.Expanded.Args = args
}

// listIn returns the values of an argument that consists of one reference to an input. ok is false for other
// arguments, and if the input has no values.
func (s *Server) listIn(arg string, values map[string][]string) (list []string, ok bool) {
	if !s.IsBundle() {
		return nil, false
	}
	m := wholeReference().FindStringSubmatch(arg)
	if m == nil {
		return nil, false
	}
	list, ok = values[m[1]]
	return list, ok
}

// references calls f with each reference in Expanded that the host would replace.
func (s *Server) references(f func(reference)) {
	if s.file == nil { // the server is not from a file
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
