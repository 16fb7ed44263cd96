package cli

import (
	"maps"
	"regexp"
	"slices"
	"testing"
)

// folderFacts are the facts that a folder can show without a member of a JSON document: the code that reads them, and the
// folders that do, each with its row in a table of faces or the reason why it has none.
var folderFacts = map[string]struct {
	read    *regexp.Regexp
	folders map[string]string
}{
	"the lists of a server": {
		regexp.MustCompile(`(?i)\b(state|st|State\(\)|state\(\))\.Lists\b|\.LoadLists\(`),
		map[string]string{
			"cli/use": "info, list", "ui/pane/browse": "the tabs of the lists", "agent": "the tools of mcptea mcp",
			"ui/pane/server": "shows the errors of lists, and the number of entries, which its tests compare with the lists",
			"ui/pane/skills": "shows skills, which its tests count", "ui/pane/events": "shows event types, which its tests count",
			"cli": "a script of the demo, in which lists are not shown", "cli/inspector": "keeps the number of tools of the last session for the start screen, which its tests read",
			"cli/link": "loads lists and proposes names", "cli/servers": "counts the tools of configured servers, which servers_connect.txtar reads",
			"ui/app": "looks for one tool", "ui/inspector": "looks for one entry", "ui/pane/composer": "completes names", "ui/pane/problems": "checks the lists against a directory",
		},
	},
	"the state of a stored token": {
		regexp.MustCompile(`oauth\.(HasExpired|Lifetime)\(|\btokens\.Entry\b|oauth\.TokenFacts\b`),
		map[string]string{
			"cli": "auth status",
		},
	},
}

// TestFaces_EachFolderIsAsked fails for a new folder that reads one of these facts: it gets a row in [offerFaces] or
// [tokenFaces], or a reason.
func TestFaces_EachFolderIsAsked(t *testing.T) {
	texts := textsOfFolders(t)
	for fact, f := range folderFacts {
		unused := maps.Clone(f.folders)
		for _, folder := range slices.Sorted(maps.Keys(texts)) {
			if !f.read.MatchString(texts[folder]) {
				continue
			}
			if delete(unused, folder); f.folders[folder] == "" {
				t.Errorf("%s reads %s: ask it in a table of faces, or say why not in folderFacts", folder, fact)
			}
		}
		for folder := range unused {
			t.Errorf("%s does not read %s: remove it from folderFacts", folder, fact)
		}
	}
}
