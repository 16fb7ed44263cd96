package inspector

import (
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/secret"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/session/state"
	"mcptea/ui/pane/start"
)

// maxSaid bounds a stored text about a session, in bytes.
const maxSaid = 300

// lived describes a session before it was closed.
type lived struct {
	state     session.State
	sentences []state.Said
}

func livedIn(s *session.Session) lived { return lived{s.State(), lastSession(s)} }

// lastSession describes a session: the server, its offer, the frames sent, the findings, and the path of the
// recording. Secrets are redacted.
func lastSession(s *session.Session) (sentences []state.Said) {
	st, snap := s.State(), s.Store().Snapshot()
	add := func(label string, texts ...string) {
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
		if text := strings.Join(texts, ", "); text != "" {
			text = secret.Text(s.Redact(text))
			sentences = append(sentences, state.Said{Label: label, Text: display.Cut(text, maxSaid)})
		}
	}
	if h := &st.Handshake; h.Revision != "" {
		add("server", strings.TrimSpace(h.Server.Name+" "+h.Server.Version), string(h.Revision), "connected in "+phrase.Took(st.Took))
	}
	var lists []string
	for _, kind := range client.ListKinds {
		if l := st.Lists[kind.Name]; len(l.Items) > 0 {
			lists = append(lists, phrase.Count(len(l.Items), kind.Noun))
		}
	}
	add("offers", lists...)
	add("frames", phrase.Digits(snap.Out)+" sent", phrase.Digits(snap.In)+" received", some(snap.Errors, "error"), some(len(st.Restarts), "restart"))
	found := s.Findings()
	n := found.Counts()
	add("findings", some(n.Server[lint.Error], "error"), some(n.Server[lint.Warn], "warning"))
	if st.Err != nil {
		f := failure.FactsOf(s)
		f.Connected = st.Phase == session.Ended
		add("failure", failure.Explain(st.Err, f).Sentence)
	}
	add("recording", s.Store().Path())
	return sentences
}

// some formats a count, or returns "" for 0.
func some(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return phrase.Count(n, noun)
}

// lastFacts returns the stored facts about the last session of a target, with its time.
func lastFacts(r state.Target) (facts []start.Fact) {
	if len(r.Last) > 0 {
		facts = append(facts, start.Fact{Label: "time", Text: phrase.Date(r.Time, time.Now())})
	}
	for _, l := range r.Last {
		facts = append(facts, start.Fact{Label: l.Label, Text: l.Text})
	}
	return facts
}

// lastOf finds the stored facts about the last session that was opened here with some arguments of mcptea.
func lastOf(recent []state.Target, dir string, args []string) []start.Fact {
	for _, r := range recent {
		if len(args) == 1 && r.Dir == dir && (r.Command == args[0] || strings.HasPrefix(r.Command, args[0]+" ")) { // more flags may follow
			return lastFacts(r)
		}
	}
	return nil
}
