package inspector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/internal/test/panetest"
	"mcptea/session/question"
	"mcptea/ui/dialog"
)

// sharingSource has questions, and notes what was decided.
type sharingSource struct {
	waiting []int
	decided []string
}

func (s *sharingSource) Next() (askedQuestion, bool) {
	if len(s.waiting) == 0 {
		return askedQuestion{}, false
	}
	id := s.waiting[0]
	c := dialog.Consent{Title: fmt.Sprintf("Allow call %d?", id), Text: question.Text{Lines: []string{"{}"}}, Yes: "allow", No: "decline", All: "allow all"}
	return askedQuestion{ID: id, Consent: c, Allowed: "Allowed.", Declined: "Declined.", AllAllowed: "All are allowed.", Withdrawn: "It has ended."}, true
}

func (s *sharingSource) Decide(id int, agreed bool) { s.end(fmt.Sprint(id, " ", agreed)) }

func (s *sharingSource) end(text string) {
	s.decided = append(s.decided, text)
	s.waiting = s.waiting[1:]
}

// lenient can be allowed all questions like one.
type lenient struct{ *sharingSource }

func (s lenient) AllowAll(id int) { s.end(fmt.Sprint("all like ", id)) }

// answered paints, waits until keys are taken, and presses one.
func answered(p *panetest.Program, key string) {
	p.Paint(p.W, p.H, true)
	time.Sleep(time.Minute) // the time of the bubble
	p.Press(key)
}

// Questions are asked one after the other, and never over a window that the user has open.
func TestSharing_Questions_OneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := panetest.New(t)
		s := &sharingSource{waiting: []int{1, 2}}
		q := newQuestionQueue(p)
		if q.Look(s, false); p.Pane != nil {
			t.Error("a question was asked over another window")
		}
		q.Look(s, true)
		q.Look(s, p.Pane == nil)
		if got := p.Paint(p.W, p.H, true); !strings.Contains(got, "Allow call 1?") || !strings.Contains(got, "y allow") {
			t.Errorf("the first question is not asked:\n%s", got)
		}
		answered(p, "y")
		if p.Pane != nil {
			t.Error("the question is open after the response")
		}
		q.Look(s, true)
		if got := p.Paint(p.W, p.H, true); !strings.Contains(got, "Allow call 2?") {
			t.Errorf("the second question is not asked:\n%s", got)
		}
		answered(p, "esc")
		q.Look(s, true) // no question is left
		if want := []string{"1 true", "2 false"}; !slices.Equal(s.decided, want) || p.Pane != nil {
			t.Errorf("decided %q, want %q; open: %v", s.decided, want, p.Pane)
		}
		if want := []string{"say: Allowed.", "say: Declined."}; !slices.Equal(p.Asked, want) {
			t.Errorf("said %q, want %q", p.Asked, want)
		}
	})
}

// A question that ends by itself is closed, with the reason, and is not decided.
func TestSharing_Questions_Withdrawn(t *testing.T) {
	p := panetest.New(t)
	s := &sharingSource{waiting: []int{1, 2}}
	q := newQuestionQueue(p)
	q.Look(s, true)
	s.waiting = s.waiting[1:]
	q.Look(s, true) // the next one follows at the next look
	if p.Pane != nil || !slices.Equal(p.Asked, []string{"say: It has ended."}) {
		t.Errorf("said %q; open: %v", p.Asked, p.Pane)
	}
	if q.Look(s, true); p.Pane == nil {
		t.Error("the next question is not asked")
	}
	if len(s.decided) != 0 {
		t.Errorf("decided %q", s.decided)
	}
}

// All questions of a kind are allowed with one key only where the source offers that.
func TestSharing_Questions_All(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := panetest.New(t)
		s := &sharingSource{waiting: []int{7}}
		q := newQuestionQueue(p)
		q.Look(lenient{s}, true)
		if got := p.Paint(p.W, p.H, true); !strings.Contains(got, "a allow all") {
			t.Errorf("the key is not named:\n%s", got)
		}
		answered(p, "a")
		if want := []string{"all like 7"}; !slices.Equal(s.decided, want) || !slices.Equal(p.Asked, []string{"say: All are allowed."}) {
			t.Errorf("decided %q, said %q", s.decided, p.Asked)
		}
	})
}
