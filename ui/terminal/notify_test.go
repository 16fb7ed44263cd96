package terminal

import (
	"strings"
	"testing"
)

func TestNotify_ByWhatTheTerminalIs(t *testing.T) {
	const hostile = "a\x1b]0;x\a\x9c\u009c;rm\r\n✗" + "long long long"
	for _, test := range []struct {
		env, want string
	}{
		{"TERM=xterm-kitty", "\x1b]99;"},
		{"TERM=foot", "\x1b]777;notify;"},
		{"TERM=xterm-ghostty", "\x1b]777;notify;"},
		{"TERM=xterm-256color TERM_PROGRAM=ghostty", "\x1b]777;notify;"},
		{"TERM=xterm-256color TERM_PROGRAM=WezTerm", "\x1b]777;notify;"},
		{"TERM=rxvt-unicode-256color", "\x1b]777;notify;"},
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app", "\x1b]9;"},
		{"TERM=xterm-256color", bell},
		{"TERM=xterm-256color TERM_PROGRAM=vscode", bell},
		{"TERM=dumb", bell},
		{"", bell},
		{"TERM=tmux-256color TERM_PROGRAM=tmux", bell},
		{"TERM=screen-256color", bell},
		{"TERM=xterm-kitty TMUX=/tmp/tmux-0/default,1,0", bell},
		{"TERM=xterm-kitty STY=1.pts", bell},
		{"TERM=xterm-kitty ZELLIJ=0", bell},
	} {
		show := notifierOf(strings.Fields(test.env))
		for _, text := range []string{"tools/call echo: ok after 12.0 s", hostile, strings.Repeat("x", 10_000), ""} {
			got := show(notification{title: text, text: text})
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("%s: %q, want %q first", test.env, got, test.want)
			}
			rest := got
			for _, whole := range []string{"\x1b]99;", "\x1b]777;", "\x1b]9;"} {
				rest = strings.ReplaceAll(rest, whole, "")
			}
			ends := strings.Count(got, bell) + strings.Count(got, "\x1b\\")
			rest = strings.ReplaceAll(strings.ReplaceAll(rest, "\x1b\\", ""), bell, "")
			if strings.ContainsAny(rest, "\x1b\x00\r\n\a") || strings.IndexByte(rest, 0x9c) >= 0 || ends != max(strings.Count(got, "\x1b]"), 1) {
				t.Errorf("%s: %q has more than the sequence", test.env, got)
			}
			if len(got) > 1000 {
				t.Errorf("%s: %d bytes", test.env, len(got))
			}
		}
	}
	if got := notifierOf([]string{"TERM=foot"})(notification{"one;two", "three;four"}); strings.Count(got, ";") != 3 {
		t.Errorf("a part ends within: %q", got)
	}
}
