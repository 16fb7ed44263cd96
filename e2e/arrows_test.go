package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// pkg is what the go command tells of a package, test files left out.
type pkg struct {
	ImportPath string
	Name       string
	Doc        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// place is the package's path inside the module; "." is the program itself.
func (p pkg) place() string { return within(p.ImportPath) }

func within(importPath string) string {
	if importPath+"/" == "mcptea/" {
		return "."
	}
	return strings.TrimPrefix(importPath, "mcptea/")
}

// listed are the results of [packages]: a list takes seconds of processor time.
var listed = map[string][]pkg{}

// packages lists the packages of the module for an operating system. Its tests are not parallel.
func packages(t *testing.T, goos string) []pkg {
	t.Helper()
	if all := listed[goos]; all != nil {
		return all
	}
	cmd := exec.Command("go", "list", "-deps=false", "-json=ImportPath,Name,Doc,GoFiles,Imports,Deps", "./...")
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, errs.Bytes())
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("only %d packages were found", len(all))
	}
	listed[goos] = all
	return all
}

// arrows says, for each part of the module, what of the module it may import. The longest name that a
// package's place begins with decides; a part may always import parts below itself, except panes.
// .golangci.yaml says the same to editors.
var arrows = map[string][]string{
	".":   {"cli"},
	"cli": {"authority", "docs", "internal/words/search", "internal/desktop", "internal/system/sourcefile", "internal/system", "internal/words/display", "agent", "ui", "session", "check", "lint", "offer", "record", "client", "demo", "themes", "internal/words/phrase", "internal/backoff", "internal/lazyregexp", "internal/schema", "internal/shell"},
	// A command holds what it needs of the three: the last two do not know each other.
	"cli/settings":      {"internal/yamldoc", "cli/app", "session/runs/usercommand", "client", "internal/shell", "internal/system", "internal/words/phrase", "lint/rules", "session/intercept", "offer/invoke", "session/question", "record/filter", "session/requests", "themes"},
	"cli/target":        {"cli/app", "cli/settings", "client", "internal/lazyregexp", "internal/shell", "internal/system/sourcefile", "internal/system", "internal/words/display", "internal/words/phrase", "session/attach", "session/explain/failure", "session/question", "record", "session/runs/watch", "session/state"},
	"cli/link":          {"authority", "cli/app", "cli/settings", "cli/tokens", "client", "internal/schema", "internal/desktop", "internal/system", "internal/words/display", "internal/words/phrase", "session", "check", "lint", "offer", "record"},
	"agent":             {"session", "check", "lint", "offer", "record", "client", "internal/server/peer", "internal/catalog", "internal/lazyregexp", "internal/words/phrase", "internal/server/rpcserver", "internal/schema"},
	"ui":                {"internal/system/argument", "internal/desktop", "internal/system", "internal/words/display", "session", "check", "lint", "offer", "record", "client", "themes", "internal/words/phrase", "internal/schema", "internal/shell"},
	"ui/program":        {"internal/system/argument", "internal/desktop", "internal/words/display", "internal/words/phrase", "internal/shell", "session/explain/card", "session/question", "record/stderr", "themes", "ui/app", "ui/dialog", "ui/doc", "ui/terminal", "ui/keys", "ui/paint", "ui/textfield", "ui/widget"},
	"ui/single":         {"internal/words/display", "internal/words/phrase", "session", "check", "lint", "offer", "record", "ui/app", "ui/dialog", "ui/diff", "ui/keys", "ui/paint", "ui/pane/recordings", "ui/pane/start", "ui/pane/statistics", "ui/program", "ui/sessions"},
	"ui/sessions":       {"internal/words/display", "internal/words/phrase", "ui/app", "ui/dialog", "ui/keys", "ui/paint", "ui/program", "ui/terminal"},
	"ui/keys":           {"internal/words/phrase"},
	"ui/terminal":       {"internal/system/argument", "internal/words/display", "internal/words/phrase", "ui/paint"},
	"ui/app":            {"internal/words/display", "internal/words/phrase", "ui/keys", "ui/paint", "session", "check", "lint", "offer", "record", "themes", "internal/schema", "internal/shell"},
	"ui/doc":            {"internal/words/display", "internal/words/phrase", "ui/app", "ui/paint", "ui/textfield", "themes"},
	"ui/dialog":         {"internal/words/display", "internal/words/phrase", "ui/app", "ui/doc", "ui/keys", "ui/paint", "ui/textfield", "ui/widget", "session", "check", "lint", "offer", "record", "client", "themes"},
	"ui/page":           {"internal/words/display", "internal/words/phrase", "record/filter", "session/explain/card", "ui/app", "ui/doc", "ui/keys", "ui/paint", "ui/textfield", "ui/widget", "themes"},
	"ui/result":         {"internal/words/display", "internal/words/phrase", "ui/app", "ui/dialog", "ui/doc", "ui/keys", "ui/paint", "ui/textfield", "session", "check", "lint", "offer", "record", "client", "themes", "internal/schema", "internal/shell", "ui/markdown", "ui/jsonview"},
	"ui/frames":         {"internal/words/display", "internal/words/phrase", "ui/app", "ui/dialog", "ui/jsonview", "ui/keys", "ui/page", "ui/paint", "ui/textfield", "session", "check", "lint", "offer", "record", "client", "themes", "internal/schema", "internal/shell"},
	"ui/markdown":       {"internal/words/display", "internal/words/phrase", "ui/paint", "internal/lazyregexp", "themes"},
	"ui/diff":           {"internal/words/display", "internal/words/phrase", "ui/app", "ui/dialog", "ui/doc", "ui/keys", "ui/paint", "ui/textfield", "ui/widget", "session", "check", "lint", "offer", "record", "client", "themes", "internal/schema", "internal/shell"},
	"ui/form":           {"internal/words/display", "ui/keys", "ui/paint", "ui/textfield", "session", "check", "lint", "offer", "record", "client", "internal/words/phrase", "themes", "internal/schema", "internal/shell"},
	"ui/pane":           {"internal/words/display", "internal/words/search", "internal/system", "internal/words/phrase", "ui/app", "ui/dialog", "ui/doc", "ui/keys", "ui/page", "ui/result", "ui/frames", "ui/diff", "ui/markdown", "ui/form", "ui/textfield", "ui/widget", "ui/jsonview", "ui/paint", "session", "check", "lint", "offer", "record", "client", "themes", "internal/schema", "internal/shell"},
	"ui/widget":         {"internal/words/display", "internal/words/phrase", "ui/jsonview", "ui/textfield", "ui/paint", "themes"},
	"ui/textfield":      {"internal/words/display", "internal/words/phrase", "client/jsonrpc", "ui/paint", "themes"},
	"ui/jsonview":       {"internal/words/display", "internal/words/phrase", "client/jsonrpc", "ui/paint", "themes"},
	"ui/paint":          {"internal/words/display", "internal/words/phrase", "themes"},
	"themes":            {"internal/yamldoc", "internal/system"},
	"docs":              {},
	"record":            {"internal/yamldoc", "internal/jsontree", "internal/system/argument", "internal/system", "client", "internal/catalog", "internal/words/phrase", "internal/backoff", "internal/server/rpcserver", "internal/lazyregexp", "internal/signal", "internal/schema", "internal/shell"},
	"offer":             {"internal/yamldoc", "internal/jsontree", "internal/system/argument", "internal/system", "client", "internal/catalog", "internal/words/phrase", "internal/backoff", "internal/server/rpcserver", "internal/lazyregexp", "internal/signal", "internal/schema", "internal/shell", "record"},
	"lint":              {"internal/yamldoc", "internal/jsontree", "internal/system/argument", "internal/system", "client", "internal/catalog", "internal/words/phrase", "internal/backoff", "internal/server/rpcserver", "internal/lazyregexp", "internal/signal", "internal/schema", "internal/shell", "offer", "record"},
	"check":             {"internal/yamldoc", "internal/jsontree", "internal/system/argument", "internal/system", "client", "internal/catalog", "internal/words/phrase", "internal/backoff", "internal/server/rpcserver", "internal/lazyregexp", "internal/signal", "internal/schema", "internal/shell", "lint", "offer", "record"},
	"session":           {"internal/yamldoc", "internal/jsontree", "internal/system/argument", "internal/system", "client", "internal/catalog", "internal/words/phrase", "internal/backoff", "internal/server/rpcserver", "internal/lazyregexp", "internal/signal", "internal/schema", "internal/shell", "check", "lint", "offer", "record"},
	"session/tap/serve": {"internal/server/peer", "internal/server/rpcserver", "internal/signal", "internal/system", "internal/words/phrase", "client", "session/session", "session/tap/relay"},
	"session/declare":   {"internal/yamldoc", "session", "check", "lint", "offer", "record", "client", "internal/server/peer", "internal/server/rpcserver", "internal/words/phrase", "internal/lazyregexp", "internal/schema", "internal/shell"},
	"client":            {"internal/yamldoc", "internal/system", "internal/catalog", "internal/words/phrase", "internal/backoff", "internal/lazyregexp"},
	"client/jsonrpc":    {},
	"client/oauth":      {"client/transport", "client/secret", "client/step", "internal/jose", "internal/system", "internal/words/phrase"},
	"client/secret":     {"client/jsonrpc", "internal/lazyregexp"},
	// A state machine without I/O; transport is for its errors.
	"client/negotiate": {"client/jsonrpc", "client/revision", "client/transport", "internal/words/phrase"},
	// It was written from the specifications and not from the client.
	"internal/test/guard":         {},
	"internal/test/oauthtest":     {},
	"internal/test/recordingtest": {"client/transport", "record"},
	"demo":                        {"internal/server/peer", "client/jsonrpc", "client/paramheader", "client/revision", "internal/schema/check", "internal/catalog", "internal/server/rpcserver"},
	"authority":                   {"client/transport/http", "internal/catalog", "internal/jose", "internal/system"},
	"authority/trial":             {"authority", "internal/backoff", "client/jsonrpc", "client/oauth", "client/transport/http", "internal/catalog"},
	"e2e":                         {},
	"internal/words/phrase":       {"internal/lazyregexp"},
	"internal/system/sourcefile":  {"internal/system"},
	"internal/desktop":            {"internal/system/argument", "internal/system"},
	"internal/words/display":      {"internal/words/phrase"},
	"internal/schema":             {"client/jsonrpc", "client/secret", "internal/words/phrase"},
	"internal/shell":              {"internal/system/argument", "internal/system", "client", "internal/words/phrase"},
	"internal/server/peer":        {"client/jsonrpc", "client/paramheader", "client/revision", "internal/schema/check", "internal/server/rpcserver"},
	"internal":                    {}, // for tests, except the arrows above
	"internal/test/inmemory":      {"client"},
	"internal/test/growth":        {"client/jsonrpc", "internal/test/cputime"},
	"internal/test/panetest":      {"internal/test/press", "ui", "session", "check", "lint", "offer", "record", "themes", "internal/shell"},
	"internal/test/sessiontest":   {"client", "demo", "internal/test/inmemory"},
	"internal/test/programs":      {"demo", "client/jsonrpc", "internal/test/spelling", "internal/test/gobuild", "internal/test/raced"},
	"internal/server/rpcserver":   {"client/jsonrpc", "internal/system"},
	"internal/test/manpage":       {"cli"},
	"internal/test/conformance":   {"client", "offer/skill"},
	"offer/skill":                 {"internal/yamldoc", "client/jsonrpc", "internal/lazyregexp"},
	"internal/test/spelling":      {"client/jsonrpc"},
	"internal/test/transporttest": {"client/transport"},
}

// floors are the folders of the module, the lowest first. A package imports packages of its own
// folder and of folders before it. docs/architecture.md says what is in them.
var floors = []string{
	"internal/lazyregexp", "internal/backoff", "internal/words", "internal/system", "internal/desktop", "internal/catalog", "internal/jose", "internal/signal", "internal/yamldoc", "internal/jsontree", "themes", "docs",
	"client",
	"internal/schema", "internal/shell", "internal/server",
	"record", "offer", "lint", "check",
	"session/requests", "session/events", "session/intercept", "session/question", "session/sharing", "session/state",
	"session/session", "session/explain", "session/apps", "session/attach", "session/runs", "session/declare",
	"session/tap", "session/export",
	"demo", "authority", "agent", "ui", "cli", ".",
}

func TestFloors_ImportLowerOnes(t *testing.T) {
	floor := func(place string) int {
		return slices.IndexFunc(floors, func(f string) bool { return under(place, f) })
	}
	for _, p := range packages(t, "linux") {
		at := floor(p.place())
		testsAlone := len(p.Imports) == 0 && slices.Equal(p.GoFiles, []string{"doc.go"})
		if at < 0 && !testsAlone && !under(p.place(), "internal/test") && !under(p.place(), "e2e") {
			t.Errorf("%s stands on no floor", p.ImportPath)
		}
		for _, i := range p.Imports {
			if to := floor(within(i)); at >= 0 && to > at {
				t.Errorf("%s imports %s, which stands above it", p.ImportPath, i)
			}
		}
	}
}

// under reports whether a place is a part of the module or stands below it.
func under(place, part string) bool { return place == part || strings.HasPrefix(place, part+"/") }

// partOf names the part whose arrows hold for a place.
func partOf(place string) (string, bool) {
	best, ok := "", false
	for part := range arrows {
		if under(place, part) && (!ok || len(part) > len(best)) {
			best, ok = part, true
		}
	}
	return best, ok
}

// forbidden says why one package may not import another, empty when it may.
func forbidden(from, to string) string {
	part, ok := partOf(from)
	if !ok {
		return "it belongs to no part of the module: give it its arrows in e2e/arrows_test.go and .golangci.yaml"
	}
	if part == "ui/pane" {
		// Each pane is a world of its own.
		own := strings.Join(strings.SplitN(from, "/", 4)[:3], "/")
		if under(to, own) {
			return ""
		}
	} else if part != "." && under(to, part) {
		return ""
	}
	if slices.ContainsFunc(arrows[part], func(allowed string) bool { return under(to, allowed) }) {
		return ""
	}
	return part + " may import " + strings.Join(append(slices.Clone(arrows[part]), "the standard library"), ", ")
}

func TestArrows_OneWay(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, p := range packages(t, goos) {
			for _, i := range p.Imports {
				if !strings.HasPrefix(i+"/", "mcptea/") {
					continue
				}
				if why := forbidden(p.place(), within(i)); why != "" {
					t.Errorf("%s imports %s on %s; %s", p.ImportPath, i, goos, why)
				}
			}
		}
	}
}

func TestArrows_Noticed(t *testing.T) {
	for _, arrow := range [][2]string{
		{".", "ui"},
		{".", "session"},
		{"client", "session"},
		{"client/oauth", "client"},
		{"client/oauth", "internal/test/conformance"},
		{"internal/test/oauthtest", "client/oauth"},
		{"client/jsonrpc", "client"},
		{"client", "offer/skill"},
		{"internal/test/conformance", "session"},
		{"offer/skill", "client"},
		{"client/transport/stdio", "ui/paint"},
		{"internal/server/peer", "client"},
		{"demo", "session"},
		{"session", "ui/paint"},
		{"record", "session"},
		{"offer", "lint"},
		{"lint", "check"},
		{"check", "session"},
		{"record/store", "cli"},
		{"themes", "ui/paint"},
		{"ui", "cli"},
		{"cli/settings", "cli/target"},
		{"cli/target", "cli/link"},
		{"cli/target", "session/session"},
		{"cli/link", "cli/target"},
		{"ui", "demo"},
		{"ui/program", "ui/inspector"},
		{"ui/program", "ui/pane/traffic"},
		{"ui/single", "ui/inspector"},
		{"ui/pane/traffic", "ui/program"},
		{"ui/jsonview", "ui/widget"},
		{"ui/pane/traffic", "ui/pane/detail"},
		{"ui/pane/traffic", "ui"},
		{"ui/pane/traffic", "ui/pane/browse"},
		{"ui/widget", "session"},
		{"ui/widget", "ui/pane/traffic"},
		{"elsewhere", "client"},
	} {
		if forbidden(arrow[0], arrow[1]) == "" {
			t.Errorf("%s may import %s", arrow[0], arrow[1])
		}
	}
	for _, arrow := range [][2]string{
		{".", "cli"},
		{"cli", "ui/paint"},
		{"ui", "ui/pane/traffic"},
		{"ui/widget", "ui/widget/viewport"},
		{"record/store", "client/transport"},
		{"internal/server/peer", "client/jsonrpc"},
	} {
		if why := forbidden(arrow[0], arrow[1]); why != "" {
			t.Errorf("%s may not import %s: %s", arrow[0], arrow[1], why)
		}
	}
}

// foreign says what modules of others must not be reached, not even by way of
// something else, and by whom.
var foreign = []struct {
	parts, modules []string
	why            string
}{
	{
		parts:   []string{"client", "record", "offer", "lint", "check", "session", "demo"},
		modules: []string{"charm.land", "github.com/charmbracelet", "github.com/spf13/cobra"},
		why:     "it works without a terminal",
	},
	{ // x/ansi has the 256 colors of terminals
		parts:   []string{"themes"},
		modules: []string{"charm.land", "github.com/charmbracelet/colorprofile", "github.com/charmbracelet/ultraviolet", "github.com/charmbracelet/x/term", "github.com/spf13/cobra"},
		why:     "it works without a terminal",
	},
	{
		parts:   []string{"client", "demo", "themes"},
		modules: []string{"github.com/zalando/go-keyring"},
		why:     "only cli/tokens keeps anything",
	},
	{
		parts:   []string{"client", "themes"},
		modules: []string{"github.com/santhosh-tekuri/jsonschema"},
		why:     "only internal/schema/check reads schemas with it",
	},
	{
		parts:   []string{"client", "record", "offer", "lint", "check", "session", "ui", "demo", "themes"},
		modules: []string{"github.com/modelcontextprotocol/go-sdk"},
		why:     "it is the server of package agent; elsewhere it is a second opinion in tests, and what it gets wrong must not be wrong in the client too",
	},
	{
		parts:   []string{"."},
		modules: []string{"github.com/tmaxmax/go-sse"},
		why:     "it is there as a second opinion in tests; what it gets wrong must not be wrong in the program too",
	},
	{
		parts:   []string{"."},
		modules: []string{"testing", "net/http/httptest", "github.com/creack/pty", "github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "go.uber.org/goleak"},
		why:     "it is for tests",
	},
}

func TestForeignModules_InTheirPackages(t *testing.T) {
	for _, p := range packages(t, "linux") {
		for _, rule := range foreign {
			if !slices.ContainsFunc(rule.parts, func(part string) bool { return under(p.place(), part) }) {
				continue
			}
			for _, dep := range p.Deps {
				if slices.ContainsFunc(rule.modules, func(m string) bool { return under(dep, m) }) {
					t.Errorf("%s reaches %s, but %s", p.ImportPath, dep, rule.why)
				}
			}
		}
	}
}

func TestPackages_HaveComments(t *testing.T) {
	vague := []string{"util", "utils", "common", "helper", "helpers", "manager", "types", "misc"}
	for _, p := range packages(t, "linux") {
		if p.Doc == "" {
			t.Errorf("%s has no doc comment", p.ImportPath)
		}
		for _, word := range strings.Split(p.ImportPath, "/") {
			if slices.Contains(vague, word) || slices.Contains(vague, p.Name) {
				t.Errorf("%s is named for everything: say what it holds", p.ImportPath)
				break
			}
		}
	}
}
