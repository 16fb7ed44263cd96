package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readsTarget are the functions that read the URL or the directory of a target in another way than to compare
// it, or to copy it into another target or the configuration of a transport: "folder/file.go: function", with
// the reason. Nothing of what they read is shown but by a method of the target.
var readsTarget = map[string]string{
	"cli/checks/cards.go: judgeCards":                    "the catalog of its host is requested",
	"cli/use/info.go: info":                              "whether it is a host alone",
	"cli/use/info_discover.go: discover":                 "the catalog of its host is requested",
	"cli/use/info_discover.go: liveOf":                   "it is compared with a card, without its query",
	"ui/pane/server/failure.go: waits":                   "its host and port are shown, redacted",
	"ui/pane/server/server.go: Refresh":                  "it is compared with that of another attempt",
	"ui/pane/server/questions.go: editLink":              "paths are completed in its folder",
	"session/export/shell.go: isLive":                    "it is compared with that of the recording",
	"cli/auth_steps.go: authorizing":                     "the server of an authorization",
	"cli/checks/check_authority.go: startAuthority":      "requests are sent to it, and what is said of it is redacted",
	"cli/checks/check_config.go: checkAuthorization":     "the server of an authorization",
	"cli/checks/directories.go: judgeDirectories":        "its scheme and host are looked at",
	"cli/checks/run.go: connect":                         "its origin is compared",
	"cli/inspector/mcp.go: complete":                     "its origin is compared",
	"cli/inspector/mcp.go: open":                         "its origin is compared",
	"cli/link/authorize.go: authorization":               "whether it has a user",
	"cli/link/authorize.go: TapAuthorization":            "the server that the token is for",
	"cli/recordings/tap.go: tapHTTP":                     "the proxy requests it; its path is that of the proxy, which hosts have to be given",
	"cli/settings/complete.go: completeHTTP":             "an error is redacted by what prints it",
	"cli/settings/complete.go: completeStdio":            "it is that of the flag",
	"cli/settings/flags.go: For":                         "its origin is compared",
	"cli/settings/tls.go: completeTLS":                   "a warning is redacted by what prints it",
	"cli/target/reload.go: programFile":                  "the program, whose changes restart it",
	"cli/target/reload.go: watchedDir":                   "a directory that is watched",
	"client/connect.go: Connect":                         "its scheme",
	"client/open.go: open":                               "the steps are redacted by the checklist",
	"client/open.go: openStream":                         "its origin is compared",
	"internal/shell/flag.go: AddReached":                 "variables replace secrets",
	"check/directory/challenge.go: FetchChallenge":       "a request, whose error is redacted",
	"session/explain/failure/said.go: addEndpoint":       "its path is compared; an explanation is redacted as a whole",
	"session/explain/failure/said.go: addHost":           "its host is compared; an explanation is redacted as a whole",
	"session/explain/experiment/experiment.go: Run":      "a connection to the other address of this machine; an experiment is redacted as a whole",
	"session/explain/experiment/experiment.go: applies":  "its host is compared",
	"session/explain/experiment/run.go: newRunner":       "requests to the same server; what is shown of them is redacted",
	"session/explain/failure/shown.go: Failing":          "whether it has a user",
	"session/explain/failure/seen.go: seenOfURL":         "its scheme and host are looked at",
	"session/explain/failure/settings.go: addSettings":   "its host is compared",
	"session/explain/failure/status.go: badStatus":       "a redirect is compared with it; an explanation is redacted as a whole",
	"session/explain/remedy/allowed.go: protectionOf":    "its scheme and host are looked at",
	"ui/inspector/remedies.go: executable":               "a program that is started",
	"check/probe/gone.go: isUp":                          "a port that is dialed",
	"check/probe/probes/authorization.go: document":      "its origin is compared",
	"check/probe/probes/authorization.go: tokenInQuery":  "a request; its report is redacted",
	"check/probe/probes/http.go: slowClient":             "an address that is dialed",
	"check/probe/probes/http_origin.go: exposure":        "requests; findings are redacted",
	"check/probe/probes/http_origin.go: isLocal":         "its host is looked at",
	"check/probe/probes/http_origin.go: originForeign":   "a header of a request; findings are redacted",
	"check/probe/rawhttp.go: httpClient":                 "the origin of TLS settings",
	"check/probe/rawhttp.go: httpRequest":                "a request; its report is redacted",
	"check/probe/rawhttp.go: record":                     "its origin is compared",
	"check/probe/run.go: Authorized":                     "whether it has a user",
	"check/probe/runner.go: isLocal":                     "its host is looked at",
	"session/explain/failure/authorize.go: unauthorized": "the explanation is redacted",
	"session/explain/failure/explain.go: other":          "the explanation is redacted",
	"session/explain/failure/http.go: unreachable":       "its scheme",
	"session/explain/failure/tls.go: isElsewhere":        "its origin is compared",
	"session/explain/remedy/remedy.go: Elsewhere":        "its origin is compared",
	"session/explain/remedy/remedy.go: does":             "labels are redacted by Of",
	"session/explain/remedy/remedy.go: named":            "labels are redacted by Of",
	"session/explain/remedy/remedy.go: nextURL":          "a value of a setting; labels are redacted by Of",
	"session/explain/remedy/run.go: With":                "its origin is compared",
	"session/explain/remedy/run.go: WithoutToken":        "its origin is compared",
	"session/explain/experiment/silent.go: trySilent":    "its host gets a request, which is recorded as each trial is",
	"session/explain/remedy/settings.go: setURL":         "its origin is compared",
	"session/explain/remedy/settings.go: trust":          "the origin of TLS settings",
	"session/explain/remedy/wait.go: WaitFor":            "a port that is dialed",
	"session/runs/checker/checker.go: config":            "the server of an authorization",
	"session/runs/watch/reach.go: reachable":             "a port that is dialed",
	"session/session/authorize.go: newAuthorizer":        "the server of an authorization, whose steps are redacted",
	"session/session/tap.go: isOfServer":                 "its origin is compared",
	"ui/inspector/others.go: Chip":                       "its host, which the target redacts",
	"ui/inspector/remedies.go: inShell":                  "where a command runs",
	"ui/pane/problems/directory.go: judge":               "its scheme and host are looked at",
	"ui/pane/server/questions.go: trustCertificate":      "its host, which the target redacts",
}

// shownBy are the fields of a target that may have secrets, and how they are shown.
var shownBy = map[string]string{"URL": "ShownURL", "Dir": "ShownDir"}

// TestSecrets_TargetIsShownByItsMethods refuses code that reads the URL or the directory of a target and is not listed: package secret knows the
// forms of tokens, the target its secrets. What is printed of a target passes one of its methods.
func TestSecrets_TargetIsShownByItsMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the program")
	}
	unused := map[string]bool{}
	for place := range readsTarget {
		unused[place] = true
	}
	found := 0
	for _, p := range typedPackages(t, "mcptea/client") {
		for _, file := range p.files {
			name := p.dir + "/" + filepath.Base(p.set.Position(file.Pos()).Filename)
			if name == "client/target.go" {
				continue // which has the methods
			}
			for _, read := range readsOf(p, file) {
				found++
				place := name + ": " + read.function
				delete(unused, place)
				if readsTarget[place] == "" {
					t.Errorf("%s, line %d: reads %s of a target; show it with %s, or say in readsTarget why it is not shown", place, p.set.Position(read.at).Line, read.field, shownBy[read.field])
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d reads were found", found)
	}
	for place := range unused {
		t.Errorf("%s does not read a target any more: take it out of the list", place)
	}
}

// targetRead is a place that reads a field of a target.
type targetRead struct {
	at              token.Pos
	field, function string
}

func readsOf(p typedPackage, file *ast.File) (all []targetRead) {
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		s, ok := n.(*ast.SelectorExpr)
		if !ok || shownBy[s.Sel.Name] == "" || !isField(p.info.Selections[s], "mcptea/client", "Target") || isHarmless(p, stack) {
			return true
		}
		r := targetRead{at: s.Pos(), field: s.Sel.Name}
		for _, around := range stack {
			if f, ok := around.(*ast.FuncDecl); ok {
				r.function = f.Name.Name
			}
		}
		all = append(all, r)
		return true
	})
	return all
}

// isField reports whether a selection is a field of a struct type of a package.
func isField(s *types.Selection, pkg, name string) bool {
	if s == nil || s.Kind() != types.FieldVal {
		return false
	}
	of := s.Recv()
	if index := s.Index(); len(index) > 1 { // embedded
		return false
	}
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	named, ok := of.(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg().Path() == pkg
}

// isHarmless reports a read that is compared, assigned to, or copied into another target or the configuration of a
// transport.
func isHarmless(p typedPackage, stack []ast.Node) bool {
	read := stack[len(stack)-1].(*ast.SelectorExpr) //nolint:forcetypeassert // the caller has seen it
	switch around := stack[len(stack)-2].(type) {
	case *ast.BinaryExpr:
		return around.Op == token.EQL || around.Op == token.NEQ
	case *ast.AssignStmt:
		return slices.Contains(around.Lhs, ast.Expr(read)) && around.Tok == token.ASSIGN
	case *ast.KeyValueExpr:
		literal, ok := stack[len(stack)-3].(*ast.CompositeLit)
		if !ok {
			return false
		}
		named, ok := p.info.Types[literal].Type.(*types.Named)
		return ok && slices.Contains([]string{"mcptea/client", "mcptea/client/transport/stdio", "mcptea/client/transport/http"}, named.Obj().Pkg().Path())
	}
	return false
}

// typedPackage is a package of the program with its types.
type typedPackage struct {
	dir   string // from the root, with /
	set   *token.FileSet
	files []*ast.File
	info  *types.Info
}

// typedPackages are the packages of the program that import another one, and that one.
func typedPackages(t *testing.T, imported string) (all []typedPackage) {
	t.Helper()
	dir := root(t)
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles,Imports", ".")
	cmd.Dir = dir
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &failed)
	}
	type listed struct {
		ImportPath, Export, Dir string
		GoFiles, Imports        []string
	}
	exports := map[string]string{}
	var own []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "mcptea/") && (p.ImportPath == imported || slices.Contains(p.Imports, imported) || slices.ContainsFunc(p.Imports, func(i string) bool {
			return strings.HasPrefix(i, "mcptea/session") || strings.HasPrefix(i, "mcptea/cli")
		})) {
			own = append(own, p)
		}
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range own {
		one := typedPackage{dir: strings.TrimPrefix(p.ImportPath, "mcptea/"), set: set, info: &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}, Types: map[ast.Expr]types.TypeAndValue{}}}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			one.files = append(one.files, f)
		}
		check := types.Config{Importer: imports}
		if _, err := check.Check(p.ImportPath, set, one.files, one.info); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}
