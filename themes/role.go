package themes

import (
	"fmt"
	"strings"
)

// Role is how one kind of text looks: a colour and attributes.
//
// In a theme file it is a string of words: "#8aadf4 bold", "faint", "default",
// "#2b3149 256:237 16:8". The last form is for grounds: the nearest of few
// colours to a dark blue is a loud one.
type Role struct {
	Color     string // "#rrggbb", "@237" of the 256 colours, or "" for the terminal's own
	Indexed   string // what Color becomes on a terminal of 256 colours; "" leaves it to nearness
	Basic     string // and on one of 16
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
		return fmt.Errorf(`empty role; write "default" for the terminal's own colour`)
	}
	for _, w := range words {
		if err := r.add(w); err != nil {
			return err
		}
	}
	return nil
}

func (r *Role) add(word string) error {
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
		if index, ok := strings.CutPrefix(word, "256:"); ok {
			r.Indexed = "@" + index
			return nil
		}
		if index, ok := strings.CutPrefix(word, "16:"); ok {
			r.Basic = "@" + index
			return nil
		}
		if _, _, _, ok := RGB(word); !ok {
			return fmt.Errorf("%q is neither a colour (#rrggbb) nor an attribute (bold, faint, italic, underline, reverse, default)", word)
		}
		r.Color = word
	}
	return nil
}

// RGB splits "#rrggbb". ok is false for anything else.
func RGB(hex string) (r, g, b uint8, ok bool) {
	if len(hex) != 7 || hex[0] != '#' {
		return 0, 0, 0, false
	}
	var v [6]uint8
	for i := range v {
		switch c := hex[i+1]; {
		case '0' <= c && c <= '9':
			v[i] = c - '0'
		case 'a' <= c && c <= 'f':
			v[i] = c - 'a' + 10
		case 'A' <= c && c <= 'F':
			v[i] = c - 'A' + 10
		default:
			return 0, 0, 0, false
		}
	}
	return v[0]<<4 | v[1], v[2]<<4 | v[3], v[4]<<4 | v[5], true
}
