package result

import (
	"context"
	"errors"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/shell"
	"mcptea/internal/words/phrase"
	"mcptea/offer/content"
	"mcptea/ui/paint"
)

// BodyOfOutput shows the output of a command.
func BodyOfOutput(out shell.Outcome) *Body {
	v := emptyBody()
	add := func(p ...block) {
		if len(v.text.blocks) > 0 {
			v.text.blocks = append(v.text.blocks, gap{})
		}
		v.text.blocks = append(v.text.blocks, p...)
	}
	if out.Err != nil {
		what := paint.If(errors.Is(out.Err, context.Canceled), "cancelled", "failed")
		add(heading{role: bad, name: what, facts: []string{out.Err.Error()}})
	}
	if len(out.Stdout) > 0 {
		facts := []string{phrase.Size(int64(len(out.Stdout)))}
		if out.Cut {
			facts = append(facts, "cut: the output is longer")
		}
		add(heading{name: "output", facts: facts}, v.printed(out.Stdout))
		v.items = append(v.items, content.TextItem("output", out.Stdout))
	}
	if len(out.Stderr) > 0 {
		add(heading{name: "stderr"}, newText(ansi.Strip(string(out.Stderr))))
	}
	if len(v.text.blocks) == 0 {
		add(note{what: "The command has written nothing."})
	}
	return v
}

// printed returns the block of an output as the command has written it, without colors. The second form of JSON is the
// formatted one.
func (v *Body) printed(output []byte) block {
	t := content.TextOf("", ansi.Strip(string(output)))
	v.isOutput, v.raw, t.JSON = true, t.JSON, nil
	if v.raw != nil && len(output) <= highlightable {
		return newCode("application/json", strings.TrimSuffix(string(output), "\n"))
	}
	return shownText(t)
}
