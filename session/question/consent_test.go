package question_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/session/question"
)

// What is exactly as long as can be read can be agreed to.
func TestConsent_Text_AtTheBound(t *testing.T) {
	for size, large := range map[int]bool{question.MaxText: false, question.MaxText + 1: true} {
		facts, lines := size/2, size-size/2
		q := question.Text{Name: "text", Facts: []question.Fact{{Label: "to", Text: strings.Repeat("x", facts)}}, Lines: []string{strings.Repeat("x", lines)}}
		if q.IsLarge() != large {
			t.Errorf("%d bytes are too large: %v", size, q.IsLarge())
		}
	}
}

// A call is shown whole, in the lines of its JSON; text that is not JSON is shown unchanged.
func TestConsent_Call_Lines(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"1\n2","b":[2]}`: "{|  \"a\": \"1\\n2\",|  \"b\": [|    2|  ]|}", "not JSON": "not JSON", "two\nlines": "two|lines",
	} {
		c := question.Call("agent", "notes", client.Proposal{Calls: "add", Part: "arguments", Text: text})
		if got := strings.Join(c.Lines, "|"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// An agreement is to one text, once each of its rows was visible for long enough. There is no agreement to
// a text that is too long to be read, before its rows are known, or after the user must read it again.
func TestConsent_Sight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := question.Text{Name: "text", Lines: []string{"a", "b"}}
		agrees := func(s *question.Sight, c question.Text, grace time.Duration) bool {
			a, ok := s.Agree(c, grace)
			if ok != a.To(c) || ok != a.Given() || a.To(question.Text{Name: "other"}) || question.Typed().To(c) {
				t.Errorf("%+v, %v", a, ok)
			}
			return ok
		}
		var s question.Sight
		if agrees(&s, text, 0) {
			t.Error("it is agreed to before it is laid out")
		}
		s.Lay(2)
		s.Show(1)
		s.Show(1)
		if agrees(&s, text, 0) || s.Left() != 1 || s.First() != 0 {
			t.Errorf("%d rows are left, from %d", s.Left(), s.First())
		}
		s.Show(0)
		if !agrees(&s, text, 0) || agrees(&s, text, time.Second) || s.First() != -1 {
			t.Error("what is in sight for now is not agreed to, or is after a second")
		}
		time.Sleep(time.Second)
		s.Show(0)
		if !agrees(&s, text, time.Second) || agrees(&s, question.Text{Name: "text", Lines: []string{strings.Repeat("x", question.MaxText+1)}}, 0) {
			t.Error("it is not agreed to, or what is too long is")
		}
		if s.Again(); agrees(&s, text, 0) {
			t.Error("it is agreed to although it has to be read again")
		}
		a := question.Text{Of: "hash", Lines: []string{"masked"}}
		s.Lay(0)
		if got, _ := s.Agree(a, 0); !got.To(question.Text{Of: "hash"}) || got.To(question.Text{Lines: a.Lines}) || got.To(question.Text{Of: "other", Lines: a.Lines}) {
			t.Error("what is masked does not count")
		}
	})
}
