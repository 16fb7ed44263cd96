// Package verbs reads in the name of a tool what it does.
package verbs

import (
	"slices"
	"strings"
	"unicode"
)

// changing are words in the name of a tool that is not read-only.
var changing = strings.Fields(`delete remove drop destroy erase purge write create insert update patch put set move rename
	send post publish pay transfer buy deploy exec execute run shell kill stop restart grant revoke install toggle`)

// reading are verbs at the beginning of the name of a tool that changes nothing.
var reading = strings.Fields("get list read search find fetch show view describe count lookup query")

// Changing returns the words of a tool's name that name a change, or none.
func Changing(name string) []string {
	var found []string
	all := words(name)
	if len(all) > 1 && slices.Contains(reading, all[0]) {
		return nil // get_post_details: the verb is the action, the others are nouns
	}
	for _, word := range all {
		if slices.Contains(changing, word) {
			found = append(found, word)
		}
	}
	return found
}

// words splits a name at separators and at changes of case.
func words(name string) []string {
	var b strings.Builder
	previous := rune(0)
	for _, ch := range name {
		if unicode.IsUpper(ch) && unicode.IsLower(previous) {
			b.WriteByte(' ')
		}
		if strings.ContainsRune("_-./: ", ch) {
			ch = ' '
		}
		b.WriteRune(unicode.ToLower(ch))
		previous = ch
	}
	return strings.Fields(b.String())
}
