package tap

import (
	"strings"
	"testing"

	"mcptea/session/record/store"
)

// Recordings are open for at most maxSessions sessions: the one that is idle for longest makes room,
// and without an idle one the next session is not recorded, which the user is told.
func TestSessions_Bounded(t *testing.T) {
	var warned []string
	recorded := 0
	p := &Proxy{
		Warn:   func(text string) { warned = append(warned, text) },
		Record: func(string) (*store.Writer, error) { recorded++; return nil, nil },
	}
	l := &sessions{proxy: p}
	for i := range maxSessions {
		l.begin("http", "host").open = min(i, 1) // the first one is idle
	}
	l.begin("http", "host").open = 1
	if len(l.all) != maxSessions || l.all[0].label != "2" || recorded != maxSessions+1 || len(warned) > 0 {
		t.Errorf("with an idle session: %d, the oldest is %s; %d recorded, %q", len(l.all), l.all[0].label, recorded, warned)
	}
	s := l.begin("http", "host")
	if recorded != maxSessions+1 || len(warned) != 1 || !strings.Contains(warned[0], "256 sessions have open exchanges") {
		t.Errorf("without an idle session: %d recorded, %q", recorded, warned)
	}
	s.open = 0
	if l.begin("http", "host"); recorded != maxSessions+1 && len(warned) != 2 {
		t.Errorf("%d recorded, %q", recorded, warned)
	}
}
