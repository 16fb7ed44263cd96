package intercept_test

import (
	"fmt"
	"testing"

	"mcptea/record/store"
	"mcptea/session/intercept"
)

func TestIntercept_Texts_NoTextIsLost(t *testing.T) {
	lost := ""
	texts := intercept.NewTexts(func(name string) { lost += name + "\n" })
	held := []intercept.Held{{ID: 1, Row: 4, Method: "tools/call", Bytes: []byte("a")}, {ID: 2, Row: store.None, Method: "ping", Bytes: []byte("b")}}
	texts.Look(held)
	texts.SetEdited(1, []byte("mine"))
	texts.SetDraft(2, false, []byte("draft"))
	texts.SetDraft(1, false, []byte("mine")) // an edited frame is not a draft
	if _, ok := texts.Draft(1, false); ok || string(texts.Bytes(&held[0])) != "mine" || string(texts.Bytes(&held[1])) != "b" {
		t.Error("the texts are wrong")
	}
	texts.Decide(2, true)
	texts.Look(nil)
	if lost != "#5 tools/call\n" || len(texts.Kept()) != 1 || string(texts.Kept()[0].Text) != "mine" {
		t.Errorf("lost %q, kept %v", lost, texts.Kept())
	}
	texts.SetEdited(1, []byte("late")) // its editor was open
	if len(texts.Kept()) != 2 {
		t.Errorf("kept %v", texts.Kept())
	}
	texts.Drop(texts.Kept()[0].ID)
	const maxKept = 20
	for i := range 2 * maxKept {
		texts.SetDraft(9, false, fmt.Append(nil, i))
	}
	if len(texts.Kept()) != maxKept {
		t.Errorf("%d texts are kept", len(texts.Kept()))
	}
}

// What the user has accepted replaces the draft, and the bytes of the frame itself are no text.
func TestIntercept_Texts_AcceptedReplacesTheDraft(t *testing.T) {
	texts := intercept.NewTexts(func(string) {})
	texts.Look([]intercept.Held{{ID: 1, Bytes: []byte("a")}})
	texts.SetDraft(1, false, []byte("draft"))
	texts.SetEdited(1, []byte("accepted"))
	if draft, ok := texts.Draft(1, false); ok {
		t.Errorf("the draft is still %q", draft)
	}
	texts.SetEdited(1, []byte("a"))
	if edited := texts.Edited(1); edited != nil {
		t.Errorf("the frame is edited to %q", edited)
	}
	texts.Look(nil)
	if kept := texts.Kept(); len(kept) != 0 {
		t.Errorf("kept %+v", kept)
	}
}
