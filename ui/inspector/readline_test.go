package inspector

import (
	"fmt"
	"slices"
	"testing"

	"mcptea/internal/schema"
	"mcptea/internal/test/raced"
	"mcptea/themes"
	"mcptea/ui/form"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// readlineKeys are those that edit text, here or in a shell.
func readlineKeys() []string {
	keys := append([]string{
		"left", "right", "up", "down", "home", "end", "backspace", "delete", "pgup", "pgdown", "tab", "enter", "esc", "space", "x",
		"ctrl+left", "ctrl+right", "ctrl+home", "ctrl+end", "ctrl+backspace", "ctrl+delete", "alt+left", "alt+right", "alt+delete", "shift+left", "shift+right",
	}, keys.TextKeys...)
	for c := 'a'; c <= 'z'; c++ {
		keys = append(keys, "ctrl+"+string(c), "alt+"+string(c))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// shortTexts are all texts of up to three characters of three kinds.
func shortTexts() []string {
	texts := []string{""}
	for from := 0; len(texts[len(texts)-1]) == 0 || len([]rune(texts[from])) < 3; from++ {
		for _, c := range []string{"a", " ", "日"} {
			texts = append(texts, texts[from]+c)
		}
	}
	return texts
}

// Each key that edits text leaves each text field whole, wherever its cursor is.
func TestTextFields_EveryKeyAtEveryCursor(t *testing.T) {
	raced.Never(t, "presses each key at each cursor, in one goroutine")
	theme := themes.ForBackground(true)
	pal, styles := paint.NewPalette(theme, false), paint.NewJSONStyles(theme)
	type field struct {
		key   func(name string)
		paint func()
	}
	kinds := map[string]func(text string) field{
		"line": func(text string) field {
			in := &textfield.Input{}
			in.SetValue(text)
			return field{func(name string) { in.Key(pressKey(name)) }, func() { in.Visible(5) }}
		},
		"secret": func(text string) field {
			in := &textfield.Input{}
			in.Secret = true
			in.SetValue(text)
			return field{func(name string) { in.Key(pressKey(name)) }, func() { in.Visible(5) }}
		},
		"buffer": func(text string) field {
			b := &textfield.Buffer{Multi: true}
			b.SetValue(text)
			return field{func(name string) { b.Key(pressKey(name)) }, func() { b.Rows(pal, paint.Style{}, 5, 2, textfield.Plain(paint.Style{})) }}
		},
		"editor": func(text string) field {
			e := textfield.NewEditor(text)
			return field{func(name string) { e.Key(pressKey(name)) }, func() { e.Rows(pal, styles, 20, 3, true) }}
		},
	}
	for name, raw := range map[string]string{
		"form text": `{"type":"string"}`, "form long": `{"type":"blob"}`, "form choice": `{"enum":["a","b"]}`,
		"form choices": `{"type":"array","items":{"enum":["a","b"]}}`, "form toggle": `{"type":"boolean"}`,
	} {
		s := schema.Parse([]byte(`{"properties":{"a":` + raw + `}}`))
		kinds[name] = func(text string) field {
			f := &form.Form{}
			f.Take(s)
			f.Set(f.Tree.Node("a"), text)
			return field{func(name string) { f.Key(pressKey(name)) }, func() { f.Rows(pal, 20, 3, true) }}
		}
	}
	for name, open := range kinds {
		t.Run(name, func(t *testing.T) {
			for _, text := range shortTexts() {
				for cursor := range len([]rune(text)) + 1 {
					for i, key := range readlineKeys() {
						if !*wholeMatrix && (i+cursor)%3 != 0 {
							continue
						}
						if err := survives(func() {
							f := open(text)
							f.key("home")
							for range cursor {
								f.key("right")
							}
							f.key(key)
							f.key("a")
							f.paint()
						}); err != nil {
							t.Errorf("%q with the cursor at %d and %s: %v", text, cursor, key, err)
						}
					}
				}
			}
		})
	}
}

func survives(do func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	do()
	return nil
}
