package failure

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/internal/catalog"
	"mcptea/session/explain/facts"
)

// Advice that leaves it to the message what to do stands only where the message names nothing that has a row.
func TestVoice_NoGeneralAdviceBesideAThing(t *testing.T) {
	f := Facts{target: client.Target{Argv: []string{"tea-server", "--pot", "blue"}}}
	messages := []string{}
	for _, line := range exampleLines {
		messages = append(messages, line)
	}
	for _, k := range known {
		messages = append(messages, k.line)
	}
	named := 0
	for _, text := range messages {
		w := words{text, facts.Refusal{Body: []byte(text)}}
		if len(f.voiceOf(w).things) == 0 {
			continue
		}
		named++
		c := f.voiced(Candidate{Generic: true, Remedy: Remedy{Text: "Fix what the message reports.", Vague: true}}, w)
		if c.Remedy.Vague || c.Cause == "" {
			t.Errorf("%q: %q, %q", text, c.Cause, c.Remedy.Text)
		}
	}
	const least = 100
	if named < least {
		t.Errorf("only %d of %d messages name something", named, len(messages))
	}
}

// vague matches advice that leaves it to the message what to do.
var vague = regexp.MustCompile(`(?i)\b(?:as|what|where|that|which) the (?:message|text) (?:names|says|reports|requires)\b|\bwhere it comes from\b|^fix (?:what|the error)\b|^give it as the server\b|^mend what\b|^check the (?:server's )?log\b|^look at the log\b`)

// Advice in vague words is marked, so that advice about a thing replaces it, and there may be no more of it.
func TestRows_GeneralAdviceIsCounted(t *testing.T) {
	const most = 57
	var general []string
	for _, r := range catalog.Read[row](failuresText) {
		if isVague := vague.MatchString(string(r.Try)); isVague != r.Vague {
			t.Errorf("%s: vague is %t, and the words of the advice are vague: %t", r.ID, r.Vague, isVague)
		} else if isVague {
			general = append(general, r.ID)
		}
	}
	if len(general) > most {
		t.Errorf("%d rows have general advice, at most %d may: %s", len(general), most, strings.Join(general, " "))
	}
	t.Logf("%d rows: %s", len(general), strings.Join(general, " "))
}

// doubt matches the words of a sentence that only assumes something.
var doubt = regexp.MustCompile(`\b(?:may|might|perhaps|usually|often|probably)\b`)

// literals match the names of things that a row writes without a hole.
var literals = map[string]*regexp.Regexp{
	"option":    regexp.MustCompile(`(?:^|[ (])--[a-z]`),
	"parameter": regexp.MustCompile(`\b(?:client_id|redirect_uris?|code_challenge|code_verifier|grant_type|token_endpoint_auth_method|client_secret|RFC 8707)\b`),
	"header":    regexp.MustCompile(`\b(?:Mcp-[A-Z][\w-]+|Content-Type|WWW-Authenticate|User-Agent)\b`),
}

// What a cause is about is declared in its row. The program never reads it back from the words.
func TestRows_DeclareWhatTheyTell(t *testing.T) {
	for _, r := range catalog.Read[row](failuresText) {
		if hedged := doubt.MatchString(string(r.Cause)); hedged != r.Hedged {
			t.Errorf("%s: hedged is %t, and the words of doubt are there: %t", r.ID, r.Hedged, hedged)
		}
		literal := catalog.Fill(string(r.Cause), func(string) string { return "" })
		for kind, names := range literals {
			if names.MatchString(literal) && !slices.Contains(strings.Fields(r.Tells), kind) {
				t.Errorf("%s: tells is %q, and the cause names things of the kind %s: %s", r.ID, r.Tells, kind, r.Cause)
			}
		}
	}
}

// versioned matches a version in advice, with the words around it.
var versioned = regexp.MustCompile(`[<>=@~^]=?\s?v?\d+(?:\.\d+)*"?|\b\d+(?:\.\d+)* or (?:later|newer|higher)|\b(?:SDK|zod|Node\.js|Python) \d+(?:\.\d+)*`)

// evidence maps a row whose advice has a version to what proves the version.
var evidence = map[string]string{
	"node-attributes": "the syntax of the error", "python-two": "the syntax of the error", "python-mcp": "the missing module, which version 1 has", "python-mcp-renamed": "the missing name, which version 1 has",
	"tool-zod": "the missing function, which version 3 has", "uv-resolve": "an example of an option", "node-heap": "a size",
}

// Advice names a version only if the error proves it.
func TestRows_VersionsHaveEvidence(t *testing.T) {
	for _, r := range catalog.Read[row](failuresText) {
		text := strings.NewReplacer("=1", "", "=utf-8", "").Replace(string(r.Try))
		if found := versioned.FindString(text); found != "" && evidence[r.ID] == "" {
			t.Errorf("%s: the advice has %q without evidence", r.ID, found)
		}
	}
}

// A sentence about a thing fits each kind and state that the facts have.
func TestVoice_HasARowForEachThing(t *testing.T) {
	f := Facts{}
	for _, kind := range []facts.ThingKind{facts.ThingArgument, facts.ThingParameter, facts.ThingVariable, facts.ThingOption, facts.ThingHeader, facts.ThingClaim, facts.ThingAddress, facts.ThingFile, facts.ThingName, facts.ThingPlace} {
		found := false
		for _, state := range []facts.State{facts.Given, facts.Lacking, facts.ValueOf, facts.Near, facts.Inherited, facts.Elsewhere} {
			s := f.seen(situation{})
			one, ok := aboutThings(s, []facts.Thing{{Kind: kind, Name: "tea", State: state, Value: "blue", Place: "the argument cup"}})
			if found = found || ok; ok && (!strings.Contains(one.Cause, "tea") || strings.Contains(one.Cause+one.Remedy.Text, "{")) {
				t.Errorf("%s %s: %q, %q", kind, state, one.Cause, one.Remedy.Text)
			}
		}
		if !found {
			t.Errorf("no row is about a thing of the kind %s", kind)
		}
	}
}

// A cause or advice within a sentence begins with a lower-case letter, unless it begins with a name.
func TestRows_FirstWordsWithinASentence(t *testing.T) {
	names := strings.Fields("Node.js Python Docker Podman Bundler Go Cloudflare Deno Bun Java Elixir Windows Volta Git Ollama Chrome Slack Laravel")
	word := regexp.MustCompile(`^[A-Z][a-z]*$`)
	for _, r := range catalog.Read[row](failuresText) {
		for _, text := range []string{string(r.Cause), string(r.Try)} {
			if first := firstWord(text); word.MatchString(first) && !slices.Contains(names, first) && !slices.Contains(lowered, first) {
				t.Errorf("%s: %q begins a sentence for the first time: add it to lowered in candidate.go, or if it is a name to names here", r.ID, first)
			}
		}
	}
}

// A row about a status without a sentence of its own stands behind the row that says which status it is: the sentence
// would be empty.
func TestRows_StatusHasASentence(t *testing.T) {
	for _, r := range catalog.Read[row](failuresText) {
		switch {
		case r.ID == "status":
			return
		case r.Where == "status" && r.Sentence == "":
			t.Errorf("%s stands before the row with the sentence", r.ID)
		}
	}
}
