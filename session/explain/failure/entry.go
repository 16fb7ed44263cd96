package failure

import (
	"fmt"
	"os"

	"mcptea/client"
	"mcptea/internal/words/phrase"
)

// kindEntry is the kind of the line about the entry of a configuration file.
const kindEntry Kind = "from"

// configured returns the line about the entry that the target was read from.
func (f Facts) configured() []Line {
	if f.target.Entry == nil {
		return nil
	}
	home, _ := os.UserHomeDir() // without home, the path is shown in full
	return []Line{{Kind: kindEntry, Text: EntryText(*f.target.Entry, home)}}
}

// EntryText returns the file, line and host of an entry, and its place in the file. The path is shortened below home.
func EntryText(e client.Entry, home string) string {
	text := EntryPlace(e, home)
	if e.Host != "" {
		text += " (" + escape(e.Host) + ")"
	}
	if e.Pointer != "" {
		text += ", " + escape(e.Pointer)
	}
	return text
}

// EntryPlace returns the file and the line of an entry.
func EntryPlace(e client.Entry, home string) string {
	text := escape(phrase.ShortPath(home, e.File))
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	return text
}
