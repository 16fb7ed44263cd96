package result

import (
	"context"
	"errors"

	"mcptea/internal/shell"
	"mcptea/internal/words/phrase"
	"mcptea/session/offer/content"
	"mcptea/ui/paint"
)

// BodyOfOutput shows what a command has written.
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
		add(heading{name: "output", facts: facts}, shownText(content.TextOf("", string(out.Stdout))))
		v.items = append(v.items, content.TextItem("output", out.Stdout))
	}
	if len(out.Stderr) > 0 {
		add(heading{name: "stderr"}, newText(string(out.Stderr)))
	}
	if len(v.text.blocks) == 0 {
		add(note{what: "The command has written nothing."})
	}
	return v
}
