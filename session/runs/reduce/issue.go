package reduce

import (
	"fmt"

	"mcptea/internal/words/phrase"
)

// Issue returns the text of an issue about the finding, with the reduced dialogue.
func (f *Finding) Issue() string {
	what, name := "These are the frames, `>` from the client and `<` from the server", "bug.frames"
	if f.IsRecording {
		what, name = "This is a recording of mcptea with the events that the finding needs", "bug.mcptea.jsonl"
	}
	return fmt.Sprintf("%s %s\n\n%s. Values and names that the finding does not need are invented. Save it as `%s`, then run `mcptea lint %s`.\n\n```\n%s```\n", f.Rule.ID, f.Message, what, name, name, f.Text)
}

// Quoted returns the first ones of many texts, in quotation marks.
func Quoted(texts []string) string {
	const maxShown = 10
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = phrase.Quote(text, 60)
	}
	return phrase.JoinFirst(quoted, maxShown)
}
