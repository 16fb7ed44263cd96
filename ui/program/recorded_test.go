package program

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
)

// What is on the screen is in the recording: the terminal gets it once the file has it.
func TestRecorded_FileBeforeScreen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.mcptea.jsonl")
	st, err := store.Create(store.Options{Path: path}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	st.Append(transport.Frame{Time: time.Now(), Bytes: []byte(`{"jsonrpc":"2.0","method":"on/screen"}`), Ending: "\n"})
	var file []byte
	out := recorded{to: writes(func([]byte) { file, err = os.ReadFile(path) }), record: func() { st.HandOver(time.Minute) }}
	if _, werr := out.Write([]byte("on/screen")); werr != nil || err != nil {
		t.Fatal(werr, err)
	}
	if !bytes.Contains(file, []byte("on/screen")) {
		t.Errorf("the file, when the screen is written:\n%s", file)
	}
}

// writes is a terminal.
type writes func([]byte)

func (w writes) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}
