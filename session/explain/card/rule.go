package card

import (
	"slices"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/lint"
)

// basisText describes each basis.
var basisText = map[lint.Basis]string{
	lint.Spec:      "spec (a specification decides)",
	lint.Schema:    "schema (a schema decides)",
	lint.Heuristic: "heuristic (wording, timing or similarity decides, and can be wrong; --no-heuristics leaves it out)",
	lint.Contract:  "contract (a flag of mcptea lint says what is expected)",
}

// ofRule returns the card of a rule.
func ofRule(e *lint.Entry) Card {
	c := Card{Kind: Rule, Key: e.ID, Title: e.Slug, Check: spellOut(blanked(e.Fix))}
	for _, fix := range e.OtherFixes() {
		c.Or = append(c.Or, spellOut(blanked(fix)))
	}
	c.fact("severity", e.DefaultSeverity.String())
	c.fact("responsible", map[lint.Side]string{
		lint.Either: "the sender", lint.Client: "the client", lint.Server: "the server",
	}[e.Side])
	c.fact("basis", basisText[e.Basis])
	c.fact("versions", "every version")
	if len(e.Revisions) > 0 {
		c.Facts[len(c.Facts)-1].Text = revision.Words(e.Revisions)
	}
	c.fact("fires when", spellOut(strings.ReplaceAll(e.Condition, "`", "")))
	c.fact(messageFact, spellOut(blanked(e.Message)))
	if e.Whole {
		c.fact("needs", "a whole session; it is silent about an exported part")
	}
	if e.Remark != "" {
		c.fact("remark", spellOut(e.Remark))
	}
	c.fact("source", spellOut(e.Spec))
	return c
}

// OfFinding returns the card of a rule with the message of a finding instead of the template.
func OfFinding(e *lint.Entry, message, hint string) Card {
	c := ofRule(e)
	if hint != "" {
		c.Check, c.Or = hint, nil
	}
	c.Facts = slices.DeleteFunc(c.Facts, func(f Fact) bool { return f.Label == messageFact })
	c.Facts = slices.Insert(c.Facts, 0, Fact{Label: "found", Text: message})
	return c
}

// messageFact is the label for the message of a rule with placeholders for values.
const messageFact = "message"

// blanked replaces the placeholders of a message with their names in capitals.
func blanked(text string) string {
	if rest, ok := strings.CutPrefix(text, "{side}"); ok {
		text = "The sender" + rest
	}
	return catalog.Named(text)
}
