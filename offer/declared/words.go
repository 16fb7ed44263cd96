package declared

// Callers describes who may call the tool, or returns "" if the server does not restrict it.
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

// Mark returns the mark shown next to the name of the tool in a list, or "".
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

// Origins describes what the policy permits beyond the document itself, one line per kind, or one line if it
// permits nothing. Entries left out of the policy are not listed. No policy limits WebRTC: browsers ignore the
// directive webrtc.
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
