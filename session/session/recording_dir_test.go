package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/record"
	"mcptea/record/recordings"
)

func TestCreateStore_RecordDir(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "a", "recordings")
	st, why, err := createStore(&Config{Target: client.Target{Argv: []string{"srv"}}, RecordDir: dir}, nil, record.Header{})
	if err != nil || why != nil {
		t.Fatal(err, why)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || !strings.HasSuffix(entries[0].Name(), recordings.Suffix) {
		t.Errorf("%v, %v", entries, err)
	}
}
