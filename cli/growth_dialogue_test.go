package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/recordingtest"
)

// dialogueSize is the size of the smaller dialogue, in bytes: about 1,000 exchanges.
const dialogueSize = 256 << 10

// TestGrowth_Dialogues runs each command that reads a recording on recordings of many small frames: twice the frames
// lead to about twice the memory and time. By default these have steps of all forms, and each command has no flag; each
// night, each form has a recording.
func TestGrowth_Dialogues(t *testing.T) {
	raced.Never(t, "measures memory")
	all := os.Getenv("MCPTEA_E2E") == "1"
	n := 0
	for _, line := range commandLines(t, Commands()) {
		if !readsRecording(line) {
			continue
		}
		n++
		if !all && slices.ContainsFunc(line, func(word string) bool { return strings.HasPrefix(word, "--") && word != "--to" }) {
			continue
		}
		t.Run(strings.Join(line, " "), func(t *testing.T) {
			for _, d := range growth.Dialogues() {
				if !all && d.Name != growth.Mixed {
					continue
				}
				growth.CheckDialogue(t, d, dialogueSize, func(frames []growth.Frame) map[string]growth.Cost {
					conversation := growth.Conversation(frames)
					values := usageValues(t, growth.Peer{Value: "0"}, "http://127.0.0.1:1/mcp")
					values["A"] = recordingtest.File(t, "stdio", conversation)
					values["FILE"], values["B"] = values["A"], recordingtest.File(t, "stdio", strings.ReplaceAll(conversation, "x", "y"))
					args := filledIn(t, line, values)
					return map[string]growth.Cost{"the command": growth.Of(func() { runLine(t, args) })}
				})
			}
		})
	}
	if n < 20 {
		t.Errorf("only %d commands read a recording", n)
	}
}

// readsRecording reports whether a command line of [commandLines] reads only recordings.
func readsRecording(line []string) bool {
	hasFile, hasTarget := false, false
	for _, word := range line {
		hasFile = hasFile || word == "A" || strings.HasPrefix(word, "FILE")
		hasTarget = hasTarget || word == "TARGET" || word == "URL"
	}
	return hasFile && !hasTarget && ownFiles[line[0]] == "" && screenCommands[line[0]] == ""
}
