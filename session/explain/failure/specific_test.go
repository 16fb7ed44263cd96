package failure

import (
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/catalog"
)

// The kind of evidence follows from the conditions of a row.
func TestSpecificity(t *testing.T) {
	for _, tt := range []struct {
		name string
		row  row
		want specificity
	}{
		{"no condition", row{}, general},
		{"general advice", row{Generic: true, Match: `database is locked`}, general},
		{"a circumstance", row{When: map[string]string{"connected": "*"}}, general},
		{"an absent fact", row{When: map[string]string{"bot": ""}}, general},
		{"a status", row{When: map[string]string{"status": "403"}}, numbered},
		{"a fact", row{When: map[string]string{"status": "403", "bot": "*"}}, factual},
		{"an exit code", row{Where: "exit", When: map[string]string{"code": "126"}}, factual},
		{"an exit code of no meaning", row{Where: "exit", When: map[string]string{"code": "0"}}, numbered},
		{"common words", row{Match: `(\w+) (?:must|should) (?:be|have) .+`}, wide},
		{"common words in one of its forms", row{Match: `database is locked|field required`}, wide},
		{"words", row{Match: `database is (?:locked|busy)`}, worded},
		{"words with optional ones", row{Match: `(?:database )?(?:is )?required`}, wide},
		{"a status within a message", row{Match: `\bstatus (40[13])\b`}, numbered},
		{"a name", row{Match: `command not found: (\S+)`}, naming},
		{"a name of a form", row{Match: `missing ([a-z]+(?:-[a-z]+)+)`}, naming},
		{"common words and a name", row{Match: `missing ([a-z]+)`}, wide},
		{"words that are caught", row{Match: `\b(quota (?:is )?exceeded)`}, worded},
	} {
		if got := tt.row.specificityOf(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// crossed is a place of rows for a failure, and what is told in it of a message.
var crossed = []struct {
	where string
	told  func(s situation, message string) reason
}{
	{"status", func(s situation, message string) reason {
		s["lines"], s["original"], s["said"], s["own_message"] = saidLines(message), message, message, true
		why, _ := find("status", s)
		return reason{Candidate: Explanation{}.because(why).byMessage(s, message).own}
	}},
	{"error-response", func(s situation, message string) reason {
		if of, _ := (Facts{Connected: true}).ofReply(s, message); of.kind.isDecisive() {
			return of
		}
		s["lines"], s["original"] = saidLines(message), message
		why, _ := find("error-response", s)
		return reason{Candidate: Explanation{}.because(why).byMessage(s, message).own}
	}},
	{"tool-error", func(s situation, message string) reason {
		why, _ := (Facts{Connected: true}).ofReply(s, message)
		return why
	}},
	{"exit", func(s situation, message string) reason {
		s["reported"], s["words"] = message, true
		why, _ := find("exit", s)
		return reason{Candidate: Explanation{}.because(why).byMessage(s, message).own}
	}},
	{"message", func(s situation, message string) reason {
		why, _ := aboutMessage(s, message)
		return why
	}},
}

// No row for a status, a code or common words is told where the message has decisive words: each broad row in its
// smallest situation, with the words of each decisive row.
func TestSpecificity_DecisiveWordsSpeakFirst(t *testing.T) {
	pairs, silent := 0, map[string]bool{}
	for _, place := range crossed {
		for i := range rows()[place.where] {
			broad := &rows()[place.where][i]
			if broad.More || broad.kind().isDecisive() {
				continue
			}
			for _, with := range append(slices.Clone(rows()["message"]), rows()[place.where]...) {
				if with.Match == "" || with.More || with.Cause == "" || !with.kind().isDecisive() {
					continue
				}
				s := situationOf(t, broad)
				words := situationOf(t, &with)
				lines, _ := words["lines"].([]string)
				delete(s, "lines")
				if conflicts(s, words) {
					continue
				}
				maps.Copy(s, words)
				if !s.fulfills(with.When) || s.contradicts(with.Unless) || !s.fulfills(broad.When) {
					continue
				}
				message := lines[0]
				if broad.Match != "" {
					message = situationOf(t, broad)["lines"].([]string)[0] + ": " + message
					if _, fits := (situation{"lines": saidLines(message)}).fits(&row{match: with.match, not: with.not, Match: with.Match, Not: with.Not}); !fits {
						silent[with.ID] = true // its words are a whole message
						continue
					}
				}
				pairs++
				if got := place.told(s, message); !got.kind.isDecisive() {
					t.Errorf("%s: %q contains the words of %s, but the %v row %q speaks: %s", broad.ID, message, with.ID, got.kind, got.Remedy.ID, got.Cause)
				}
			}
		}
	}
	if pairs < 1000 {
		t.Errorf("only %d pairs", pairs)
	}
	t.Logf("%d pairs; whole messages: %v", pairs, slices.Sorted(maps.Keys(silent)))
}

// conflicts reports whether two situations have different values of a fact.
func conflicts(a, b situation) bool {
	for name, value := range b {
		if other, ok := a[name]; ok && fmt.Sprint(other) != fmt.Sprint(value) && name != "lines" {
			return true
		}
	}
	return false
}

// Messages that share only common words with the rows about values and states.
func TestAboutMessage_OtherSubjects(t *testing.T) {
	for _, message := range []string{
		"Authorization required. Find your key in the settings", "Authentication required", "Basic is required", "Bad Request: required header ",
		"BRAVE_API_KEY environment variable is required", "Server does not support tools (required for tools/list)", "TEA_URL and TEA_TOKEN are required",
		"Header mismatch: required header Mcp-Method is missing", "Initialize should be handled in MessageProcessor", "Insufficient scope: events:write required",
		"Mcp-Session-Id header is required", "Missing required client capability", "Missing required environment variable TEA_KEY", "Python 3.10 or higher is required",
		"Workspace header must be set", "a charset is required", "a pause is required", "build cache is required, but could not be located", "credentials are required",
		"You must be logged in", "unknown option '--stdio'", "go() missing 1 required positional argument: 'ctx'", "must have authorization_endpoint", "panic: index out of range [3] with length 2",
		"which npx should have installed", "your User-Agent is required", "URL elicitation required", "Tea::boil(): Argument #2 ($pot) must be of type Pot, null given, called in /srv",
		"Library not loaded: @rpath/libtea.dylib", "client not registered", "Attention Required! | Cloudflare", "the service should be restarted", "X-Captcha-Required: 1", "task group is not initialized",
	} {
		for _, s := range []situation{{"stdio": true}, {"status": "400"}} {
			if why, _ := aboutMessage(s, message); why.Remedy.ID == "about-value" || why.Remedy.ID == "about-state" {
				t.Errorf("%q: the broad row %s speaks: %s", message, why.Remedy.ID, why.Cause)
			}
		}
	}
}

// A row with a hole for the matched text catches one in each of its alternatives.
func TestRows_EachAlternativeCatchesText(t *testing.T) {
	for _, r := range catalog.Read[row](failuresText) {
		texts := string(r.Cause) + string(r.Try) + string(r.Sentence) + string(r.What)
		if r.Match == "" || !strings.Contains(texts, "{caught}") && !strings.Contains(texts, "{name}") {
			continue
		}
		for _, expression := range []string{r.Match, r.Own} {
			re, err := syntax.Parse(expression, syntax.Perl)
			if err != nil {
				t.Fatal(err)
			}
			if expression != "" && !alwaysCatches(re) {
				t.Errorf("%s: an alternative of %s catches nothing", r.ID, expression)
			}
		}
	}
}

// alwaysCatches reports whether each match of an expression has a group that is not empty.
func alwaysCatches(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture:
		return re.Sub[0].Op != syntax.OpEmptyMatch
	case syntax.OpConcat:
		return slices.ContainsFunc(re.Sub, alwaysCatches)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !alwaysCatches(sub) })
	case syntax.OpPlus:
		return alwaysCatches(re.Sub[0])
	}
	return false
}
