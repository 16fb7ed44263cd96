package inspector

import (
	"context"
	"fmt"
	"image/color"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/internal/test/raced"
	"mcptea/themes"
)

// requireGolden fails unless the screen is as in the golden file of the test: the
// text, then a letter for the role of each of its cells, then what is under the text.
// Every frame of a spinner counts as the same.
func (d *driver) requireGolden() {
	d.t.Helper()
	synctest.Wait()
	text := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Braille, r) {
			return '⣾'
		}
		return r
	}, d.term.screen())
	text = totals.ReplaceAllString(text, "### of ### ") // not another file for each new command
	text = commandCount.ReplaceAllString(text, "all ### ")
	golden.RequireEqual(d.t, text+"\n\n"+stylesOf(d.term, &d.model.Pal.Theme))
}

// totals are the numbers of commands in the window of the commands.
var totals = regexp.MustCompile(`\d{3} of \d{3} `)

// letters of the roles, in upper case where the text is bold. Text without a role of
// its own has none, and a color that the theme does not have is a question mark.
var letters = []struct {
	role   string
	letter rune
}{
	{"text", '.'},
	{"strong", 's'},
	{"muted", 'm'},
	{"faint", 'f'},
	{"accent", 'a'},
	{"ok", 'o'},
	{"warning", 'w'},
	{"error", 'e'},
	{"out", 't'},
	{"in", 'i'},
	{"asked", 'q'},
	{"value", 'v'},
	{"progress", 'p'},
}

// stylesOf describes the styles of a screen: one line for each row with the letters
// of the roles, then the ranges with a background or another attribute.
func stylesOf(t *emulated, theme *themes.Theme) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var grid, under strings.Builder
	for y := range t.emu.Height() {
		row := make([]rune, t.emu.Width())
		var runs []string
		start, open := 0, ""
		for x := range t.emu.Width() + 1 {
			now := ""
			if x < t.emu.Width() {
				row[x], now = ' ', ""
				if c := t.emu.CellAt(x, y); c != nil {
					row[x], now = letterOf(c, theme), underOf(c, theme)
				}
			}
			if now != open {
				if open != "" {
					runs = append(runs, fmt.Sprintf("%d-%d %s", start, x-1, open))
				}
				start, open = x, now
			}
		}
		grid.WriteString(strings.TrimRight(string(row), " ") + "\n")
		if len(runs) > 0 {
			fmt.Fprintf(&under, "%d: %s\n", y, strings.Join(runs, ", "))
		}
	}
	return strings.TrimRight(grid.String(), "\n") + "\n\n" + under.String()
}

func letterOf(c *uv.Cell, theme *themes.Theme) rune {
	if strings.TrimSpace(c.Content) == "" {
		return ' '
	}
	letter := '?'
	if c.Style.Fg == nil {
		letter = '.'
	}
	for _, l := range letters {
		if theme.Role(l.role).Color == hexOf(c.Style.Fg) {
			letter = l.letter
			break
		}
	}
	if c.Style.Attrs&uv.AttrBold != 0 {
		if letter == '.' {
			return ':'
		}
		return unicode.ToUpper(letter)
	}
	return letter
}

func underOf(c *uv.Cell, theme *themes.Theme) string {
	var parts []string
	if c.Style.Bg != nil {
		name := hexOf(c.Style.Bg)
		for _, role := range []string{"selected", "header", "field", "match"} {
			if theme.Role(role).Color == name {
				name = role
				break
			}
		}
		parts = append(parts, name)
	}
	for attr, name := range map[uint8]string{uv.AttrFaint: "faint", uv.AttrItalic: "italic", uv.AttrReverse: "reverse", uv.AttrStrikethrough: "strikethrough"} {
		if c.Style.Attrs&attr != 0 {
			parts = append(parts, name)
		}
	}
	if c.Style.Underline != uv.UnderlineNone {
		parts = append(parts, "underline")
	}
	return strings.Join(parts, " ")
}

func hexOf(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// asking is the weather server, whose calls ask the user for the city.
func asking(_ context.Context, in io.Reader, out io.Writer) error {
	for reply(in, out, forecast) == "tools/call" {
		fmt.Fprintln(out, `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string","description":"Name of the city"},"unit":{"enum":["celsius","fahrenheit"]}},"required":["city"]}}}`)
	}
	return nil
}

// goldenScreens are the main states, against small servers.
var goldenScreens = func() map[string]picture {
	result := map[string]string{"tools/call": `{"content":[{"type":"text","text":"Lisbon: sunny, 24 °C"}],"structuredContent":{"city":"Lisbon","days":[24,25,23],"rain":false,"note":null}}`}
	wrong := map[string]string{"tools/call": `{"content":"sunny"}`}
	unknown := map[string]string{"tools/call": `error {"code":-32602,"message":"Unknown tool: forcast","data":{"name":"forcast"}}`}
	forLisbon := func(d *driver) {
		d.tool("forecast")
		d.press("Lisbon")
		d.command("call.send")
	}
	return map[string]picture{
		"main":     {serve: weather(nil), keys: func(*driver) {}},
		"form":     {serve: weather(nil), keys: func(d *driver) { d.tool("forecast"); d.press("Lis") }},
		"result":   {serve: weather(result), keys: forLisbon},
		"findings": {serve: weather(wrong), keys: forLisbon},
		"frame": {serve: weather(result), keys: func(d *driver) {
			forLisbon(d)
			d.command("result")
			d.command("frame")
		}},
		"problems": {serve: weather(wrong), keys: func(d *driver) {
			forLisbon(d)
			d.command(tabProblems)
		}},
		"failure": {dial: dialProcess(exits, "node", "x.js"), keys: func(*driver) {}},
		"crash":   {dial: dialProcess(crashes, "node", "x.js"), keys: forLisbon},
		"composer": {serve: weather(result), keys: func(d *driver) {
			d.selectTool("forecast")
			d.command("compose.item")
		}},
		"inbox": {serve: asking, keys: func(d *driver) {
			forLisbon(d)
			d.command(tabInbox)
		}},
		"card": {serve: weather(unknown), keys: func(d *driver) {
			forLisbon(d)
			d.command("result")
			d.command("frame")
			d.press("KK") // the findings first
		}},
		"completion": {serve: weather(result), keys: func(d *driver) { d.press("1ctools/call<enter>fore") }},
		"composer-error": {serve: weather(unknown), keys: func(d *driver) {
			d.within(func() { d.model.Compose("tools/call", `{"name":"forcast","arguments":{"city":"Lisbon"}}`) })
			d.press("<ctrl+s>")
		}},
		"help": {serve: weather(nil), keys: func(d *driver) { d.command("help") }},
		"filter": {serve: weather(result), keys: func(d *driver) {
			forLisbon(d)
			d.command("result")
			d.press("<tab>/lisbon<enter>")
		}},
	}
}()

// What the user sees in the main states, styles included.
func TestGolden(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	for name, p := range goldenScreens {
		for _, size := range screenSizes {
			if size[0] == 200 && name != "main" && name != "result" {
				continue
			}
			t.Run(pictureName(name, size), func(t *testing.T) { p.run(t, size[0], size[1], (*driver).requireGolden) })
		}
	}
}
