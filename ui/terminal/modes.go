package terminal

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// blinkingBar is the style of the cursor (DECSCUSR).
const blinkingBar = 5

// The modes set while the program runs: the alternate screen, and distinguishable keys (xterm's
// modifyOtherKeys, and Kitty's protocol, which keeps its flags per screen).
var (
	modesOn = ansi.SetModeAltScreenSaveCursor + ansi.HideCursor + ansi.SetCursorStyle(blinkingBar) +
		ansi.SetModeBracketedPaste + ansi.SetModeLightDark + ansi.SetModifyOtherKeys2 + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes)
	modesOff = ansi.PopKittyKeyboard(1) + ansi.ResetModifyOtherKeys + ansi.ResetModeLightDark + ansi.ResetModeBracketedPaste +
		ansi.SetCursorStyle(0) + resetMargins + ansi.ResetModeAltScreenSaveCursor + ansi.ShowCursor
	mouseOn  = ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
	mouseOff = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr
)

// CountColors returns the number of colors of a terminal: 16, 256 or all.
func CountColors(profile colorprofile.Profile) int {
	switch profile {
	case colorprofile.TrueColor:
		return 1 << 24
	case colorprofile.ANSI256:
		return 256
	}
	return 16
}

// setModes appends what switches the terminal to the modes of a view.
func (s *Screen) setModes(v *tea.View) {
	was := &s.drawn.view
	if !was.AltScreen {
		s.buf.WriteString(modesOn)
	}
	if v.MouseMode != was.MouseMode {
		if v.MouseMode == tea.MouseModeNone {
			s.buf.WriteString(mouseOff)
		} else {
			s.buf.WriteString(mouseOn)
		}
	}
	if v.ReportFocus != was.ReportFocus {
		s.buf.WriteString(focusMode(v.ReportFocus))
	}
	s.setStatus(was.ProgramStatus, v.ProgramStatus)
	if v.WindowTitle != was.WindowTitle {
		s.buf.WriteString(ansi.SetWindowTitle(title(v.WindowTitle)))
	}
	if bar := progress(v); bar != progress(was) {
		_ = uv.EncodeProgressBar(&s.buf, &bar) // buf takes everything
	}
}

func focusMode(on bool) string {
	if on {
		return ansi.SetModeFocusEvent
	}
	return ansi.ResetModeFocusEvent
}

// setStatus appends the program's status, for a terminal that shows it (OSC 7501). A status with a new id
// replaces the previous one.
func (s *Screen) setStatus(was, now *tea.ProgramStatus) {
	if now == was || now != nil && was != nil && *now == *was {
		return
	}
	if was != nil && (now == nil || now.ID != was.ID) {
		s.buf.WriteString(ansi.ClearProgramStatusID(was.ID))
	}
	if now != nil {
		s.buf.WriteString(ansi.SetProgramStatus(*now))
	}
}

// IsScheme reports that the terminal has changed between a light and a dark color scheme (mode 2031).
func IsScheme(msg tea.Msg) bool {
	switch msg.(type) {
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		return true
	}
	return false
}

func progress(v *tea.View) uv.ProgressBar {
	if v.ProgressBar == nil {
		return uv.ProgressBar{}
	}
	return uv.ProgressBar{State: uv.ProgressBarState(v.ProgressBar.State), Value: v.ProgressBar.Value}
}

// resetModes appends the sequences that restore the terminal.
func (s *Screen) resetModes() {
	if !s.drawn.view.AltScreen {
		return
	}
	s.setModes(&tea.View{AltScreen: true})
	if s.method == ansi.GraphemeWidth {
		s.buf.WriteString(ansi.ResetModeUnicodeCore)
	}
	s.buf.WriteString(modesOff)
	s.drawn, s.method = wanted{}, ansi.WcWidth
}

// title returns a text that a sequence can contain. Some terminals end a sequence at the byte 0x9c (ST, a C1
// control), even inside a character such as ✗, and show the rest as text.
func title(text string) string {
	const st = 0x9c
	if strings.IndexByte(text, st) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if strings.IndexByte(string(r), st) >= 0 {
			return '?'
		}
		return r
	}, text)
}
