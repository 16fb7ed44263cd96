package declared

// Callers says who may call the tool; empty if the server does not restrict it.
func (t Tool) Callers() string {
	switch {
	case t.ForModel && t.ForApp:
		return ""
	case t.ForApp:
		return "apps only"
	case t.ForModel:
		return "the model only"
	}
	return "neither the model nor apps"
}

// Mark is what a list shows beside the name of the tool; empty for most tools.
func (t Tool) Mark() string {
	switch {
	case t.AppOnly():
		return "apps only"
	case !t.ForModel && !t.ForApp:
		return "no callers"
	case t.URI != "":
		return "app"
	}
	return ""
}

// Origins says what the policy permits beyond the document itself, a line for each kind; one
// line without any. Entries that are left out of the policy are not listed. No policy limits
// WebRTC: browsers ignore the directive webrtc.
func (c CSP) Origins() []string {
	if c == nil {
		return []string{"not declared: no other origin, but any by WebRTC"}
	}
	var lines []string
	for i, what := range []string{"connects to", "loads from", "frames", "base"} {
		if all := sources(c[Lists[i]]); all != "" {
			lines = append(lines, what+all)
		}
	}
	if lines == nil {
		return []string{"no other origin, but any by WebRTC"}
	}
	return append(lines, "any by WebRTC")
}
