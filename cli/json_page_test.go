package cli

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"mcptea/authority"
	"mcptea/authority/trial"
	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/cli/checks"
	"mcptea/cli/recordings"
	"mcptea/cli/servers"
	"mcptea/cli/use"
	"mcptea/internal/test/raced"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/session/apps/appcheck"
	"mcptea/session/explain/card"
	"mcptea/session/runs/bench"
	"mcptea/session/runs/replay"
)

// A jsonSection is a section of docs/json.md: what a command prints.
type jsonSection struct {
	name, about string
	types       []reflect.Type // of the object, or of the objects in lines or an array
}

func prints[T any]() []reflect.Type { return []reflect.Type{reflect.TypeFor[T]()} }

type errorEnvelope struct {
	Error app.ErrorDocument `json:"error"` // why the command failed
}

// asReceived are commands that print what the server sent.
const asReceived = "One object: the result as received, or `{\"error\": …}` with the error of the server as received."

// jsonSections are in the order of the page.
var jsonSections = []jsonSection{
	{"error", "The object that a failed command prints, see above.", prints[errorEnvelope]()},
	{"info", "One object, also if connecting fails.", prints[use.Info]()},
	{"info --as", "One object. The exit code is 1 if a problem is an error.", prints[use.ModelView]()},
	{"info --as all", "One object. The exit code is 1 if a host loses a tool.", prints[use.ModelViews]()},
	{"list", "One object with the lists that the server has. With a KIND it has only this list, which is empty if the server does not have it.", prints[use.Lists]()},
	{"call", asReceived, nil},
	{"app", "Two objects, each on a line: one when the page can be opened, and one when the app was closed. The exit code is 1 if it was not initialized.", append(prints[use.AppOpened](), prints[use.AppClosed]()...)},
	{"app --check", "One object per line and check, and one at the end with the member `summary`.", append(prints[appcheck.Result](), prints[use.AppLastLine]()...)},
	{"read", asReceived, nil},
	{"prompt", asReceived, nil},
	{"skill", "One object. The exit code is 1 if the file differs from the entry.", prints[use.Skill]()},
	{"complete", asReceived, nil},
	{"send", asReceived + " With `--raw`, `--batch` and `--notification` the messages of the server as received, one per line.", nil},
	{"listen", "One object per line and notification.", prints[use.ListenEvent]()},
	{"listen event:NAME", "One object per line: an event, or what else happened to the subscription. Where the command cannot listen it prints `{\"error\": …}` as all commands do; `error` of the objects is one that the server has sent.", prints[use.ListenEntry]()},
	{"task get", asReceived, nil},
	{"task result", "As `call`.", nil},
	{"task cancel", asReceived, nil},
	{"task answer", asReceived, nil},
	{"task list", "One object.", prints[use.TaskList]()},
	{"bench", "One object.", prints[bench.Result]()},
	{"check", "One object per line and probe, and one at the end with the member `summary`. `mcptea explain check-json` prints the JSON Schema of a line.", append(prints[report.Line](), prints[report.LastLine]()...)},
	{"run", "One object per line and section of a script.", prints[checks.Section]()},
	{"lint", "One object per line and finding; nothing without one.", prints[lint.Document]()},
	{"explain", "One object, indented.", prints[card.Card]()},
	{"explain without a TOPIC", "An array of objects, indented.", prints[card.Entry]()},
	{"explain probes", "One object per line and probe.", prints[probe.Entry]()},
	{"open", "One object: the recordings of a directory.", prints[recordings.Listing]()},
	{"open --hosts", "One object.", prints[recordings.Hosts]()},
	{"open --stats", "One object.", prints[recordings.Stats]()},
	{"open FILE --continue", "One object, that of `replay` with where the session went on.", prints[recordings.Continued]()},
	{"tap --list", "One object.", prints[recordings.Taps]()},
	{"diff", "One object.", prints[recordings.Diff]()},
	{"reduce", "One object.", prints[recordings.Reduced]()},
	{"replay", "One object.", prints[replay.Report]()},
	{"servers", "One object.", prints[servers.Document]()},
	{"servers --connect", "One object per line and entry.", prints[servers.Connected]()},
	{"config", "One object.", prints[configDocument]()},
	{"config themes", "An array of objects.", prints[themeDocument]()},
	{"auth status", "One object; `auth login` prints it too.", prints[tokensDocument]()},
	{"auth steps", "One object, also if a step fails.", prints[authStepsDocument]()},
	{"auth check", "One object per line and token, as its result is known.", prints[trial.Result]()},
	{"auth check --list", "One object per line and token.", prints[authority.Token]()},
	{"auth serve", "One object per line and request, and one at the end with the member `summary`.", append(prints[authority.Seen](), prints[summaryDocument]()...)},
	{"auth serve --wrong list", "One object per line and response.", prints[authority.Answer]()},
	{"version", "One object.", prints[app.BuildVersion]()},
}

// member is a row of the page.
type member struct{ path, kind, means string }

// members are those of a type, below a path. What is below an open member is of a server, or
// has names of its own.
type members struct {
	t    *testing.T
	rows []member
	open map[string]bool
	docs map[string]map[string]string // package directory → "Type.Field" → its comment
}

func membersOf(t *testing.T, s jsonSection) *members {
	m := &members{t: t, open: map[string]bool{}, docs: fieldComments}
	for _, of := range s.types {
		m.add("", of)
	}
	return m
}

func (m *members) add(path string, of reflect.Type) {
	for f := range of.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			m.add(path, f.Type)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			m.t.Errorf("%s.%s has no JSON name", of, f.Name)
		}
		kind, below := m.kind(f.Type)
		if strings.Contains(options, "omit") {
			kind += ", may be absent"
		}
		means := m.comment(of, f.Name)
		if means == "" {
			m.t.Errorf("the member %q of %s has no sentence: write a comment at the field %s", name, of, f.Name)
		}
		at := path + name
		m.rows = append(m.rows, member{at, kind, means})
		if below.of != nil {
			m.add(at+below.suffix+".", below.of)
		} else {
			m.open[at] = below.open
		}
	}
}

// content is what a value has: the members of a type, or any.
type content struct {
	suffix string
	of     reflect.Type
	open   bool
}

var marshaler = reflect.TypeFor[encoding.TextMarshaler]()

// kind is a type in words.
func (m *members) kind(of reflect.Type) (words string, below content) {
	switch {
	case of == reflect.TypeFor[time.Time]():
		return "time (RFC 3339)", content{}
	case of == reflect.TypeFor[phrase.Millis]():
		return "number, milliseconds", content{}
	case of == reflect.TypeFor[time.Duration]():
		return "integer, nanoseconds", content{}
	case of == reflect.TypeFor[json.RawMessage](), of.Kind() == reflect.Interface:
		return "any JSON", content{open: true}
	case of.Implements(marshaler), of.Kind() == reflect.String:
		return "string", content{}
	}
	switch of.Kind() {
	case reflect.Pointer:
		return m.kind(of.Elem())
	case reflect.Bool:
		return "boolean", content{}
	case reflect.Float64:
		return "number", content{}
	case reflect.Struct:
		return "object", content{of: of}
	case reflect.Slice:
		words, below = m.kind(of.Elem())
		below.suffix = "[]" + below.suffix
		return "array of " + plural(words), below
	case reflect.Map:
		words, below = m.kind(of.Elem())
		below.suffix, below.open = ".*"+below.suffix, below.of == nil
		return "object of " + plural(words), below
	}
	return "integer", content{}
}

func plural(words string) string {
	first, rest, _ := strings.Cut(words, ",")
	switch {
	case first == "any JSON" || strings.HasPrefix(first, "array of"):
		return words
	case rest != "":
		return first + "s," + rest
	}
	return first + "s"
}

// fieldComments are kept for all sections.
var fieldComments = map[string]map[string]string{}

// comment is what the source code says of a field.
func (m *members) comment(of reflect.Type, field string) string {
	dir := filepath.Join("..", strings.TrimPrefix(of.PkgPath(), "mcptea/"))
	if m.docs[dir] == nil {
		m.docs[dir] = commentsIn(m.t, dir)
	}
	return sentence(field, m.docs[dir][of.Name()+"."+field])
}

func commentsIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if of, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range of.Fields.List {
					for _, id := range f.Names {
						comments[spec.Name.Name+"."+id.Name] = f.Doc.Text() + f.Comment.Text()
					}
				}
			}
			return false
		})
	}
	return comments
}

var (
	docLink  = regexp.MustCompile(`\[([A-Z][A-Za-z.]*)\]`)
	subjects = ` (is|are|has|reports that|reports whether|reports|says) `
)

// sentence is a comment as the meaning of a member.
func sentence(field, comment string) string {
	comment = strings.Join(strings.Fields(comment), " ")
	if begin := regexp.MustCompile("^" + field + subjects).FindString(comment); begin != "" {
		comment = comment[len(begin):]
	}
	comment = strings.NewReplacer("|", "\\|", "<", "&lt;").Replace(docLink.ReplaceAllString(comment, "$1"))
	return strings.TrimSuffix(comment, ".")
}

const generatedBegin = "<!-- What follows is generated: go test ./cli -run TestJSON_Page -update -->\n"

// jsonPage is docs/json.md: its head, and the members of each section.
func jsonPage(t *testing.T) (head string, page map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), generatedBegin)
	if !ok {
		t.Fatalf("docs/json.md has no line %s", generatedBegin)
	}
	page = map[string][]string{}
	name := ""
	for line := range strings.Lines(rest) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			name = strings.TrimSpace(heading)
		} else if row := regexp.MustCompile("^\\| `([^`]+)` ").FindStringSubmatch(line); row != nil {
			page[name] = append(page[name], row[1])
		}
	}
	return head, page
}

// The page has what the types have. A member that was on it stays.
func TestJSON_Page(t *testing.T) {
	head, before := jsonPage(t)
	var b strings.Builder
	b.WriteString(head + generatedBegin)
	for _, s := range jsonSections {
		m := membersOf(t, s)
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", s.name, s.about)
		if len(m.rows) > 0 {
			b.WriteString("\n| member | type | meaning |\n|---|---|---|\n")
		}
		for _, row := range m.rows {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.path, row.kind, row.means)
		}
		for _, path := range before[s.name] {
			if !slices.ContainsFunc(m.rows, func(row member) bool { return row.path == path }) {
				t.Errorf("%s: the member %s is gone: members are only added, never renamed or removed", s.name, path)
			}
		}
		delete(before, s.name)
	}
	for name := range before {
		t.Errorf("the section %s is gone: members are only added, never renamed or removed", name)
	}
	if *update && !t.Failed() {
		if err := os.WriteFile("../docs/json.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile("../docs/json.md"); err != nil || string(text) != b.String() {
		t.Errorf("docs/json.md is not that of the types (%v): run go test ./cli -run TestJSON_Page -update", err)
	}
}

// The page names each member that a command prints.
func TestJSON_PageIsTrue(t *testing.T) {
	raced.Never(t, "runs each command once for the names of its members; the scripts race what runs beside each other")
	outputs, err := jsonOutput()
	if err != nil {
		t.Fatal(err)
	}
	_, page := jsonPage(t)
	sections := map[string]*members{}
	for _, s := range jsonSections {
		sections[s.name] = membersOf(t, s)
	}
	tried := map[string]bool{"error": true, "app --check": true, "auth serve": true} // e2e has one that has a browser; auth serve ends when it is interrupted
	for _, run := range jsonRuns {
		m := sections[run.section]
		if m == nil {
			if run.section != "" {
				t.Errorf("docs/json.md has no section %s", run.section)
			}
			continue
		}
		tried[run.section] = true
		if len(m.rows) == 0 { // as received
			continue
		}
		d := json.NewDecoder(bytes.NewReader(outputs[run.name]))
		for d.More() {
			var value any
			if err := d.Decode(&value); err != nil {
				t.Fatalf("%s: %v", run.name, err)
			}
			if list, ok := value.([]any); ok {
				for _, element := range list {
					m.check(run, page[run.section], "", element)
				}
				continue
			}
			m.check(run, page[run.section], "", value)
		}
	}
	for _, s := range jsonSections {
		if !tried[s.name] {
			t.Errorf("no command of this test prints what the section %s has", s.name)
		}
	}
}

// check reports the members of a value that the page does not have.
func (m *members) check(run jsonRun, page []string, path string, value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			m.check(run, page, path+"[]", element)
		}
	case map[string]any:
		for name, below := range value {
			at := strings.TrimPrefix(path+"."+name, ".")
			if each := path + ".*"; slices.ContainsFunc(page, func(p string) bool { return strings.HasPrefix(p, each) }) {
				at = each
			} else if !slices.Contains(page, at) {
				m.t.Errorf("%s: docs/json.md does not name the member %s of mcptea %s", run.section, at, run.args)
			}
			if !m.open[at] {
				m.check(run, page, at, below)
			}
		}
	}
}

// Each command with --json has a section.
func TestJSON_EveryCommand(t *testing.T) {
	// The inspector, and the server for agents, take the flags of a target; they print no JSON.
	// auth login is described with auth status.
	none := []string{"mcptea", "mcptea inspector", "mcptea mcp", "mcptea auth login"}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "mcptea ")
		described := slices.ContainsFunc(jsonSections, func(s jsonSection) bool { return s.name == name || strings.HasPrefix(s.name, name+" ") })
		if cmd.Flags().Lookup("json") != nil && !cmd.Hidden && !described && !slices.Contains(none, cmd.CommandPath()) {
			t.Errorf("%s knows --json, and docs/json.md does not describe it", cmd.CommandPath())
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newProgram(os.Stdin, os.Stdout, os.Stderr, nil).root(""))
}
