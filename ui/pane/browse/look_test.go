package browse

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/session"
	"mcptea/themes"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

func lookKey(name string) tea.KeyPressMsg {
	var m tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		m.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		name = rest
	}
	codes := map[string]rune{"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "enter": tea.KeyEnter, "backspace": tea.KeyBackspace, "tab": tea.KeyTab, "esc": tea.KeyEscape, "space": tea.KeySpace, "pgdown": tea.KeyPgDown}
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

func TestLook(t *testing.T) {
	script := os.Getenv("LOOK")
	if script == "" {
		t.Skip()
	}
	s, err := session.Open(session.Config{Target: client.Target{Argv: []string{os.Getenv("MCPTEA"), "demo", "--serve"}, Env: os.Environ()}, Record: "off", Lists: client.ListKinds})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if err := s.Connect(context.Background()); err != nil {
		t.Fatal(err)
	}
	pal := paint.NewPalette(themes.ForBackground(true), false)
	js := paint.NewJSONStyles(pal.Theme)
	var p *Pane
	w, h, spin := 120, 17, 0
	act := func(a command.Action) {
		switch a := a.(type) {
		case nil:
		case command.Start:
			c := s.Start(a.Method, a.Params)
			if a.Then != nil {
				a.Then(c)
			}
			fmt.Printf("START %s %s\n", a.Method, a.Params)
		case command.Cancel:
			s.Cancel(a.ID)
		default:
			fmt.Printf("ACTION %T %+v\n", a, a)
		}
	}
	refresh := func() {
		spin++
		p.Refresh(s.State(), s.Store().Flights(100), time.Now(), spin)
	}
	for _, word := range strings.Fields(script) {
		switch {
		case word == "tools" || word == "resources" || word == "prompts":
			p = New(s, word)
			time.Sleep(200 * time.Millisecond)
			refresh()
		case strings.HasPrefix(word, "size="):
			a, b, _ := strings.Cut(word[5:], "x")
			w, _ = strconv.Atoi(a)
			h, _ = strconv.Atoi(b)
		case strings.HasPrefix(word, "wait="):
			d, _ := time.ParseDuration(word[5:])
			time.Sleep(d)
			refresh()
		case strings.HasPrefix(word, "type="):
			for _, r := range word[5:] {
				if p.Typing() {
					p.Type(lookKey(string(r)))
				}
			}
		case strings.HasPrefix(word, "sel="):
			for i := range p.rows {
				if p.rows[i].Name == word[4:] {
					p.list.Select(p.rows[i].Key)
				}
			}
		case word == "show":
			refresh()
			rows := p.Paint(pal, js, w, h, true)
			for _, r := range rows {
				if os.Getenv("PLAIN") != "" {
					fmt.Println(strip(r))
				} else {
					fmt.Println(r)
				}
				if paint.Width(r) != w {
					fmt.Println("WIDTH", paint.Width(r))
				}
			}
			if len(rows) != h {
				fmt.Println("ROWS", len(rows))
			}
			x, y, ok := p.Cursor()
			fmt.Println("cursor", x, y, ok, p.Context())
		default:
			k := lookKey(word)
			if p.Typing() {
				if a, ok := p.Type(k); ok {
					act(a)
					continue
				}
			}
			if cmd, ok := command.Lookup(p.Context(), k.String()); ok {
				act(p.Do(cmd.Name))
			}
		}
	}
}
