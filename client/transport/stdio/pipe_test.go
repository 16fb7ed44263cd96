package stdio

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"
)

// What is read of a server ends at a deadline on each system: after the exit of the server, and
// when its output is closed before it ends.
func TestNewPipe_Deadline(t *testing.T) {
	ours, theirs, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := ours.Read(make([]byte, 1))
		read <- err
	}()
	if err := ours.SetReadDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	if err := ours.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.WriteString("a line\n"); err != nil {
		t.Error(err)
	}
	_ = theirs.Close()
	if text, err := io.ReadAll(ours); string(text) != "a line\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	_ = ours.Close()
}
