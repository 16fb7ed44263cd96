package session

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
)

// callHeld starts a call of the tool echo, and returns the frame that is held then.
func callHeld(t *testing.T, s *Session, breakpoint string) (*Call, intercept.Held) {
	t.Helper()
	if err := s.Intercept().SetBreakpoints([]intercept.Breakpoint{{Filter: breakpoint}}); err != nil {
		t.Fatal(err)
	}
	c := s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"tea"}}`))
	synctest.Wait()
	held := s.Intercept().State().Held
	if len(held) != 1 {
		t.Fatalf("%d frames are held", len(held))
	}
	return c, held[0]
}

func decide(t *testing.T, s *Session, h intercept.Held, d intercept.Decision) {
	t.Helper()
	if err := s.Intercept().Decide(h.ID, d); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

// lastNote is the newest note in the log.
func lastNote(s *Session) string {
	total, _ := s.Store().Logs()
	for i := total - 1; i >= 0; i-- {
		if l, ok := s.Store().LogAt(i); ok && l.Source == store.LogNote {
			return l.Text
		}
	}
	return ""
}

// A response takes as long as its frames say, also when it is held for a time.
func TestIntercept_OneDurationForOneResponse(t *testing.T) {
	for _, dir := range []string{"in", "out"} {
		run(t, demo.Options{}, func(s *Session) {
			c, held := callHeld(t, s, "method:tools/call dir:"+dir)
			time.Sleep(3 * time.Second)
			decide(t, s, held, intercept.Decision{Action: intercept.Forward})
			response, err := c.Outcome()
			if err != nil {
				t.Fatal(err)
			}
			got, _ := s.Store().Row(response.Ref.Row())
			request, _ := s.Store().Row(got.Pair)
			if wire := time.Duration(got.Time - request.Time); response.Took != wire || wire >= 3*time.Second {
				t.Errorf("dir %s: the call took %v, its frames %v", dir, response.Took, wire)
			}
		})
	}
}

func TestIntercept_RequestIsEditedAndForwarded(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		sent := s.Store().Snapshot().Out
		c, held := callHeld(t, s, "method:tools/call dir:out")
		if held.Row != store.None || s.Store().Snapshot().Out != sent {
			t.Errorf("a held request is recorded as sent: row %d", held.Row)
		}
		decide(t, s, held, intercept.Decision{Action: intercept.Forward, Bytes: []byte(strings.Replace(string(held.Bytes), `"tea"`, `"milk"`, 1))})
		response, err := c.Outcome()
		if err != nil || !strings.Contains(string(response.Frame), "milk") {
			t.Errorf("the response is %s, %v", response.Frame, err)
		}
		if note := lastNote(s); !strings.Contains(note, "tools/call") || !strings.Contains(note, "edited") {
			t.Errorf("the note is %q", note)
		}
		row := s.Store().RequestRow(transport.Out, c.ID)
		change, ok, err := s.Store().Sides(row)
		if !ok || err != nil || change.What != record.Edited || string(change.Received) != string(held.Bytes) || change.Sent != nil {
			t.Errorf("the record says %+v, %v, %v", change, ok, err)
		}
		if body, _ := s.Store().Body(row); !strings.Contains(string(body), "milk") {
			t.Errorf("the row of what was sent has %s", body)
		}
	})
}

// A held request of a command over --attach is recorded as one, with what the breakpoint did.
func TestIntercept_RequestOfACommandIsHeld(t *testing.T) {
	for _, edited := range []bool{false, true} {
		run(t, demo.Options{}, func(s *Session) {
			if err := s.Intercept().SetBreakpoints([]intercept.Breakpoint{{Filter: "method:tools/call dir:out"}}); err != nil {
				t.Fatal(err)
			}
			id, err := s.NextID()
			if err != nil {
				t.Fatal(err)
			}
			c := s.Forward(jsonrpc.EncodeRequest(id, "tools/call", []byte(`{"name":"echo","arguments":{"message":"tea"}}`)), nil)
			synctest.Wait()
			held := s.Intercept().State().Held
			if len(held) != 1 {
				t.Fatalf("%d frames are held", len(held))
			}
			time.Sleep(3 * time.Second)
			d, want, attached := intercept.Decision{Action: intercept.Forward}, record.Forwarded, true
			if edited { // it is not what the command has sent
				d.Bytes, want, attached = []byte(strings.Replace(string(held[0].Bytes), `"tea"`, `"milk"`, 1)), record.Edited, false
			}
			decide(t, s, held[0], d)
			if _, err := c.Outcome(); err != nil {
				t.Error(err)
			}
			row := s.Store().RequestRow(transport.Out, id)
			r, _ := s.Store().Row(row)
			if is := r.Flags&store.Attached != 0; is != attached {
				t.Errorf("edited %v: it is of a command: %v", edited, is)
			}
			if change, ok := s.Store().Change(row); !ok || change.What != want || change.Held != 3*time.Second {
				t.Errorf("edited %v: the record says %+v, %v", edited, change, ok)
			}
		})
	}
}

func TestIntercept_RequestIsAnsweredByHand(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		sent := s.Store().Snapshot().Out
		c, held := callHeld(t, s, "method:tools/call dir:out")
		answer := jsonrpc.EncodeResult(held.MessageID, []byte(`{"content":[{"type":"text","text":"by hand"}]}`))
		decide(t, s, held, intercept.Decision{Action: intercept.Respond, Bytes: answer})
		if response, err := c.Outcome(); err != nil || string(response.Frame) != string(answer) {
			t.Errorf("the response is %s, %v", response.Frame, err)
		}
		if s.Store().Snapshot().Out != sent {
			t.Error("the request was sent")
		}
		synctest.Wait()
		row := s.Store().RequestRow(transport.Out, c.ID)
		if change, ok := s.Store().Change(row); !ok || change.What != record.AnsweredByHand {
			t.Errorf("the record says of the request: %+v, %v", change, ok)
		}
		r, _ := s.Store().Row(row)
		if change, ok := s.Store().Change(r.Pair); !ok || change.What != record.Added {
			t.Errorf("the record says of the response: %+v, %v", change, ok)
		}
		for _, g := range s.Findings().Groups {
			t.Errorf("the server is blamed for what the user wrote: %s", g.Rule.ID)
		}
	})
}

func TestIntercept_ResponseIsHeldAndDropped(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		c, held := callHeld(t, s, "kind:response")
		if body, err := s.Store().Body(held.Row); err != nil || string(body) != string(held.Bytes) {
			t.Errorf("row %d has %s, %v", held.Row, body, err)
		}
		decide(t, s, held, intercept.Decision{Action: intercept.Drop})
		time.Sleep(2*time.Minute + time.Second) // the timeout, and the time in which it could be held
		synctest.Wait()
		if _, err := c.Outcome(); err == nil {
			t.Error("the call has a response")
		}
	})
}

func TestIntercept_CloseForwards(t *testing.T) {
	var sent int
	run(t, demo.Options{}, func(s *Session) {
		sent = s.Store().Snapshot().Out
		callHeld(t, s, "method:tools/call dir:out")
		s.Disconnect(context.Background())
		if s.Store().Snapshot().Out == sent {
			t.Error("the held request was not sent")
		}
	})
}

func TestFaults_OfTheConnection(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		if err := s.Intercept().SetFaults([]intercept.Fault{{Name: "wrong-id"}}); err != nil {
			t.Fatal(err)
		}
		c := s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"tea"}}`))
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if _, err := c.Outcome(); err == nil {
			t.Error("a response with another id is accepted")
		}
		if note := lastNote(s); !strings.Contains(note, "wrong-id") {
			t.Errorf("the note is %q", note)
		}
		r, _ := s.Store().Row(s.Store().RequestRow(transport.Out, c.ID))
		change, ok, err := s.Store().Sides(r.Pair)
		if !ok || err != nil || change.What != record.ByFault || len(change.Sent) != 1 || !strings.Contains(string(change.Sent[0]), `"id":100`) {
			t.Errorf("the record says of the response: %+v, %v, %v", change, ok, err)
		}
	})
}

// A request does not time out while the user decides about it or about its response.
func TestIntercept_HeldRequestDoesNotTimeOut(t *testing.T) {
	for _, dir := range []string{"dir:out", "dir:in"} {
		run(t, demo.Options{}, func(s *Session) {
			c, h := callHeld(t, s, "method:tools/call "+dir)
			if !s.IsHeld(c.ID) {
				t.Error("the request is not reported as held")
			}
			time.Sleep(intercept.DefaultLimit - time.Second)
			decide(t, s, h, intercept.Decision{Action: intercept.Forward})
			if _, err := c.Outcome(); err != nil {
				t.Errorf("%s: %v", dir, err)
			}
			if s.IsHeld(c.ID) {
				t.Error("the request is still reported as held")
			}
		})
	}
}
