package themes

import (
	"fmt"
	"strconv"
	"strings"
)

// Role is the appearance of one kind of text: a color and attributes.
//
// In a theme file it is a string of words: "#8aadf4 bold", "faint", "default", or "#2b3149 256:237 16:reverse".
// The last form contains values for terminals with 256 or 16 colors: the number of a color, or an attribute.
type Role struct {
	Color     string // "#rrggbb", "@237" of the 256 colors, or "" for the terminal's own
	Indexed   string // instead of Color with 256 colors: "@237"; "" is the nearest one
	Basic     string // instead of Color with 16 colors: "@9", an attribute, or ""
	Bold      bool
	Faint     bool
	Italic    bool
	Underline bool
	Reverse   bool
}

// UnmarshalText reads the words of a theme file.
func (r *Role) UnmarshalText(text []byte) error {
	*r = Role{}
	words := strings.Fields(string(text))
	if len(words) == 0 {
		return fmt.Errorf(`the role is empty; write "default" for the color of the terminal`)
	}
	for _, w := range words {
		if err := r.add(w); err != nil {
			return err
		}
	}
	return nil
}

func (r *Role) add(word string) error {
	if r.attribute(word) {
		return nil
	}
	if index, ok := strings.CutPrefix(word, "256:"); ok {
		if n, err := strconv.ParseUint(index, 10, 8); err != nil || n > 255 {
			return fmt.Errorf("%q: expected a color from 0 to 255", word)
		}
		r.Indexed = "@" + index
		return nil
	}
	if index, ok := strings.CutPrefix(word, "16:"); ok {
		if new(Role).attribute(index) {
			r.Basic = index
			return nil
		}
		if n, err := strconv.ParseUint(index, 10, 8); err != nil || n > 15 {
			return fmt.Errorf("%q: expected a color from 0 to 15, or an attribute", word)
		}
		r.Basic = "@" + index
		return nil
	}
	if _, _, _, ok := RGB(word); !ok {
		return fmt.Errorf("%q is neither a color (#rrggbb) nor an attribute (bold, faint, italic, underline, reverse, default)", word)
	}
	r.Color = word
	return nil
}

// attribute sets an attribute, and reports whether the word is one.
func (r *Role) attribute(word string) bool {
	switch word {
	case "default":
	case "bold":
		r.Bold = true
	case "faint":
		r.Faint = true
	case "italic":
		r.Italic = true
	case "underline":
		r.Underline = true
	case "reverse":
		r.Reverse = true
	default:
		return false
	}
	return true
}
