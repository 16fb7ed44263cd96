package e2e

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// comparesSentences are the places that look for words of others, as "folder/file.go: function",
// with the one whose words they are.
var comparesSentences = map[string]string{
	"cli/settings/tls.go: clientCertificate":           "crypto/tls",
	"cli/settings/tls.go: isKey":                       "labels of RFC 7468",
	"cli/settings/tls.go: isEncrypted":                 "labels of RFC 7468",
	"client/jsonrpc/value.go: SyntaxError":             "encoding/json",
	"client/oauth/key.go: ParseKey":                    "labels of RFC 7468",
	"client/transport/http/failure.go: classify":       "net/http",
	"client/transport/http/handshake.go: alertOf":      "net",
	"internal/schema/encode.go: where":                 "encoding/json",
	"session/apps/appcheck/noise.go: noiseOf":          "Chromium",
	"session/apps/appcheck/noise.go: judgeSandbox":     "Chromium",
	"lint/rules/resources/resource.go: templateReason": "uritemplate",
	"lint/rules/tools/result.go: failureAsError":       "servers",
	"lint/rules/tools/result.go: isAboutProtocol":      "servers",
	"session/explain/failure/http.go: unreachable":     "crypto/x509",
	"record/behavior/timeout.go: namesTimeout":         "hosts, in the reason of a cancellation",
	"ui/textfield/editor.go: check":                    "encoding/json",
}

// sentence is a text with two words, or what joins two sentences.
var sentence = regexp.MustCompile(`\pL{2,}[,;:]? \pL{2,}|; or `)

// searches are the functions of strings, bytes and slices that compare or take apart a text.
var searches = []string{
	"Contains", "HasPrefix", "HasSuffix", "Index", "LastIndex", "Split", "SplitN", "SplitSeq", "Cut", "CutPrefix", "CutSuffix",
	"TrimPrefix", "TrimSuffix", "EqualFold", "Count", "Replace", "ReplaceAll",
}

// TestSentences_AreNotReadBack refuses code that finds out something by the words of a sentence: what
// is meant has a type, so that a better wording changes nothing else.
func TestSentences_AreNotReadBack(t *testing.T) {
	unused := map[string]bool{}
	for place := range comparesSentences {
		unused[place] = true
	}
	eachFunction(t, func(file string, function *ast.FuncDecl, line func(token.Pos) int) {
		place := file + ": " + function.Name.Name
		for _, at := range sentencesRead(function) {
			delete(unused, place)
			if comparesSentences[place] == "" {
				t.Errorf("%s, line %d: finds out something by the words of a sentence; give what is meant a type", place, line(at))
			}
		}
	})
	for place := range unused {
		t.Errorf("%s compares no sentences any more: take it out of the list", place)
	}
}

// sentencesRead are the places in a function that compare with the words of a sentence.
func sentencesRead(function *ast.FuncDecl) (found []token.Pos) {
	compared := func(all ...ast.Expr) {
		for _, e := range all {
			if text, ok := literal(e); ok && sentence.MatchString(text) {
				found = append(found, e.Pos())
			}
		}
	}
	ast.Inspect(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				compared(n.X, n.Y)
			}
		case *ast.CaseClause:
			compared(n.List...)
		case *ast.CallExpr:
			s, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) < 2 || !slices.Contains(searches, s.Sel.Name) {
				break
			}
			if of, ok := s.X.(*ast.Ident); ok && slices.Contains([]string{"strings", "bytes", "slices"}, of.Name) {
				compared(n.Args[1])
			}
		}
		return true
	})
	return found
}

// ownSentences are the members of the tables below lint and check that have prose of ours, others that have words of
// others, such as servers, hosts and the specification. A table that finds something by any other member would
// do it by the words of a sentence.
var (
	ownSentences = []string{
		"condition", "message", "fix", "fixes", "spec", "remark", "expected", "what", "how", "requires", "flag", "name", "effect", "does", "try",
		"sends", "pass", "fail", "needs", "error", "warn", "info", "kinds", "change", "source", "each", "header", "is", "on",
	}
	wordsOfOthers = []string{"says", "unknown", "declined"}
	conditions    = []string{"when", "unless"} // words of a vocabulary, joined by blanks
)

// Tables name what they mean, too: no row finds a finding by the words of its sentence.
func TestSentences_AreNotReadBackInTables(t *testing.T) {
	known := slices.Concat(ownSentences, wordsOfOthers, conditions)
	files := 0
	read := func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".jsonl" || strings.Contains(file, "testdata") {
			return err
		}
		files++
		text, err := os.ReadFile(file)
		for n, line := range strings.Split(string(text), "\n") {
			var row map[string]json.RawMessage
			if json.Unmarshal([]byte(line), &row) != nil {
				continue
			}
			for member, value := range row {
				if !slices.Contains(known, member) && sentence.Match(value) && !strings.HasPrefix(string(value), "{") && member != "places" {
					t.Errorf("%s:%d: %q has a sentence; give what is meant a name", file, n+1, member)
				}
			}
		}
		return err
	}
	var err error
	for _, top := range []string{"../lint", "../check"} {
		err = errors.Join(err, filepath.WalkDir(filepath.FromSlash(top), read))
	}
	if err != nil || files == 0 {
		t.Errorf("%d tables: %v", files, err)
	}
}
