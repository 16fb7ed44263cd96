package hosts

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
)

// splice replaces the bytes from start to end.
type splice struct {
	start, end int
	text       string
}

// splicer collects changes of a JSON or TOML file, and keeps the layout of the file. For JSON,
// hujson.Value.Patch does not: it adds text without line breaks and indentation, and its Format
// lays out the whole file again.
type splicer struct {
	data    syntax.Text
	format  syntax.Format
	newline string
	splices []splice
	failed  bool // the layout is not supported
}

func (s *Server) splicer() *splicer {
	w := &splicer{data: s.file.data, format: s.Source.Format, newline: "\n"}
	if crlf := bytes.Count(w.data, []byte("\r\n")); crlf > bytes.Count(w.data, []byte("\n"))-crlf {
		w.newline = "\r\n"
	}
	return w
}

// apply returns the file with the changes.
func (w *splicer) apply() []byte {
	slices.SortStableFunc(w.splices, func(a, b splice) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, s := range w.splices {
		if s.start < at || s.end < s.start || s.end > len(w.data) {
			w.failed = true
			return nil
		}
		out = append(append(out, w.data[at:s.start]...), s.text...)
		at = s.end
	}
	return append(out, w.data[at:]...)
}

func (w *splicer) insert(at int, text string) { w.splices = append(w.splices, splice{at, at, text}) }

// replace replaces a scalar.
func (w *splicer) replace(n *syntax.Node, raw string) {
	w.splices = append(w.splices, splice{n.Start, n.End, raw})
}

// meaning returns the text of a scalar for its written form.
func (w *splicer) meaning(raw string) string {
	prefix := ""
	if w.format == syntax.TOML {
		prefix = "a = "
	}
	tree, err := syntax.Parse(w.format, []byte(prefix+raw))
	if err != nil {
		w.failed = true
		return ""
	}
	n := tree.Root
	if prefix != "" {
		n = n.Get("a")
	}
	return n.Text
}

// wrapCommand makes the command of an entry run through mcptea.
func (w *splicer) wrapCommand(s *Server, o WrapOptions) {
	command, args := s.mapped["command"], s.mapped["args"]
	mcptea, add := o.Mcptea, s.tapArguments(o)
	if s.file.dialect.CommandList {
		list := command
		if len(list.Items) == 0 {
			w.failed = true
			return
		}
		w.insertItems(list, w.quoteAll(append([]string{mcptea}, add...)))
		return
	}
	items := append(w.quoteAll(add), w.moved(command))
	w.replace(command, w.quote(command, mcptea))
	if args != nil {
		w.insertItems(args, items)
		return
	}
	w.insertMember(s, command, items)
}

// argsKey returns the key of the arguments of an entry.
func argsKey(s *Server) string {
	if key := s.file.dialect.keyOf("args"); key != "" {
		return key
	}
	return "args"
}

// moved returns the command as an item of a list. JSON keeps the escapes of the file.
func (w *splicer) moved(command *syntax.Node) string {
	if w.format == syntax.TOML {
		return w.quote(nil, command.Text)
	}
	return w.written(command)
}

// written returns a value as in the file.
func (w *splicer) written(n *syntax.Node) string { return string(w.data[n.Start:n.End]) }

func (w *splicer) quoteAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = w.quote(nil, t)
	}
	return out
}

// quote writes a string. A literal string of TOML is replaced by one of its kind.
func (w *splicer) quote(old *syntax.Node, text string) string {
	if w.format == syntax.TOML && old != nil && old.Start < len(w.data) && w.data[old.Start] == '\'' && !strings.ContainsAny(text, "'\r\n\t") {
		return "'" + text + "'"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		w.failed = true
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// insertItems inserts strings before the first item of a list.
func (w *splicer) insertItems(list *syntax.Node, items []string) {
	switch {
	case len(list.Items) == 0:
		w.insert(list.Start+1, strings.Join(items, ", "))
	case bytes.IndexByte(w.data[list.Start:list.Items[0].Start], '\n') >= 0:
		at := w.data.NextLine(list.Start)
		indent, ok := w.data.Indentation(list.Items[0].Start)
		if !ok {
			w.failed = true
		}
		var text strings.Builder
		for _, item := range items {
			text.WriteString(indent + item + "," + w.newline)
		}
		w.insert(at, text.String())
	default:
		w.insert(list.Items[0].Start, strings.Join(items, ", ")+", ")
	}
}

// insertMember inserts arguments after a scalar member.
func (w *splicer) insertMember(s *Server, after *syntax.Node, items []string) {
	w.addMember(s.body, after, argsKey(s), "["+strings.Join(items, ", ")+"]")
}

// addMember adds a member to an object after another member, on a separate line if the other member is on
// a line of its own.
func (w *splicer) addMember(object, after *syntax.Node, key, value string) {
	member := w.member(key, value)
	indent, ownLine := w.data.Indentation(after.At)
	switch {
	case w.format != syntax.TOML && ownLine:
		w.insert(after.End, ","+w.newline+indent+member)
	case w.format != syntax.TOML || object.Flow:
		w.insert(after.End, ", "+member)
	default:
		// The text before the key has the other parts of a dotted key.
		w.insert(w.data.LineEnd(after.End), w.newline+string(w.data[w.data.LineStart(after.At):after.At])+member)
	}
}

// member writes a member of an object.
func (w *splicer) member(key, value string) string {
	if w.format != syntax.TOML {
		return w.quote(nil, key) + ": " + value
	}
	if strings.Trim(key, bareKey) != "" || key == "" {
		key = w.quote(nil, key)
	}
	return key + " = " + value
}

// bareKey are the characters of a key of TOML that needs no quotation marks.
const bareKey = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// object writes an object of strings in one line.
func (w *splicer) object(fields []Field) string {
	members := make([]string, len(fields))
	for i, f := range fields {
		members[i] = w.member(f.Name, w.quote(nil, f.Value))
	}
	text := strings.Join(members, ", ")
	if w.format == syntax.TOML {
		return "{ " + text + " }"
	}
	return "{" + text + "}"
}
