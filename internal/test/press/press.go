// Package press makes key messages for the tests of the screen.
package press

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Key makes the message of a key by its name.
func Key(name string) tea.KeyPressMsg {
	var m tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		m.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		name = rest
	}
	codes := map[string]rune{"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd, "enter": tea.KeyEnter, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "tab": tea.KeyTab, "esc": tea.KeyEscape, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "space": tea.KeySpace, "f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6, "f7": tea.KeyF7}
	if c, ok := codes[name]; ok {
		m.Code = c
		if name == "space" && m.Mod == 0 {
			m.Text = " "
		}
		return m
	}
	m.Code = []rune(name)[0]
	if m.Mod == 0 {
		m.Text = name
	}
	return m
}
