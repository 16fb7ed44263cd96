package edit

import (
	"fmt"
	"testing"
)

func TestUndo_Bound(t *testing.T) {
	for changes, want := range map[int]int{200: 200, 201: 200} {
		var b Buffer
		for i := range changes {
			b.Insert(fmt.Sprint(i, " "))
		}
		n := 0
		for n <= changes && b.Undo() {
			n++
		}
		if n != want {
			t.Errorf("of %d changes %d are undone", changes, n)
		}
		if text := b.Value(); (text == "") != (changes <= 200) {
			t.Errorf("after the undo of %d changes %q is left", changes, text)
		}
	}
}
