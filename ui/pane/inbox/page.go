package inbox

import "mcptea/session/explain"

// pageFacts show a URL whole, its host standing out, and what is to be known
// before it is opened. Nothing is opened or fetched.
func pageFacts(raw string) []fact {
	p := explain.PageOf(raw)
	facts := []fact{{label: "url", text: raw, from: p.From, to: p.To}}
	if p.Host != "" {
		facts = append(facts, fact{label: "host", text: p.Host, tone: strong})
	}
	for _, text := range p.Warnings {
		facts = append(facts, fact{text: text, tone: doubtful})
	}
	return append(facts, fact{text: "Nothing is opened from here.", tone: quiet})
}
