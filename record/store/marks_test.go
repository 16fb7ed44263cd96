package store

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

func ping(s *Store) {
	raw := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: time.Unix(1_800_000_000, 0).Add(time.Duration(s.Snapshot().Rows) * time.Second), Ending: "\n"})
}

func loaded(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSetMark_IsInTheRecordingAndBesideAnOpenedOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcptea.jsonl")
	s, err := Create(Options{Path: path}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		ping(s)
	}
	for _, m := range []record.Mark{{Row: 3, Marked: true}, {Row: 1, Note: "odd  \n one"}, {Row: 3, Marked: true, Note: "the cause"}, {Row: 4, Marked: true}, {Row: 4}} {
		if err := s.SetMark(m); err != nil {
			t.Fatal(err)
		}
	}
	if s.SetMark(record.Mark{Row: 5, Marked: true}) == nil {
		t.Error("a row that does not exist was marked")
	}
	want := []record.Mark{{Row: 3, Marked: true, Note: "the cause"}, {Row: 1, Note: "odd one"}}
	if got := s.Marks(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	opened := loaded(t, path)
	if got := opened.Marks(); !slices.Equal(got, want) {
		t.Errorf("after opening: %+v", got)
	}
	if got, err := MarksOf(t.Context(), path); err != nil || !slices.Equal(got, want) {
		t.Errorf("without loading: %+v, %v", got, err)
	}
	if err := opened.SetMark(record.Mark{Row: 1, Marked: true, Note: "odd one"}); err != nil {
		t.Fatal(err)
	}
	if err := opened.SaveMarks(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the recording has changed (%v)", err)
	}
	info, err := os.Stat(path + MarksSuffix)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	want = []record.Mark{{Row: 3, Marked: true, Note: "the cause"}, {Row: 1, Marked: true, Note: "odd one"}}
	again := loaded(t, path)
	if got := again.Marks(); !slices.Equal(got, want) {
		t.Errorf("opened again: %+v", got)
	}
	if got, err := MarksOf(t.Context(), path); err != nil || !slices.Equal(got, want) {
		t.Errorf("without loading: %+v, %v", got, err)
	}
	if n := again.Snapshot().Rows; n != 5 {
		t.Errorf("%d rows", n)
	}
}

// TestSaveMarks_AfterAFailure has a first save that fails: what was set is written by the next
// one, and by Close.
func TestSaveMarks_AfterAFailure(t *testing.T) {
	for _, again := range []func(*Store) error{(*Store).SaveMarks, (*Store).Close} {
		path := filepath.Join(t.TempDir(), "a.mcptea.jsonl")
		s, err := Create(Options{Path: path}, record.Header{})
		if err != nil {
			t.Fatal(err)
		}
		ping(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		opened := loaded(t, path)
		want := record.Mark{Row: 0, Marked: true, Note: "important"}
		if err := opened.SetMark(want); err != nil {
			t.Fatal(err)
		}
		inTheWay := filepath.Join(path+MarksSuffix, "x")
		if err := os.MkdirAll(inTheWay, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := opened.SaveMarks(); err == nil {
			t.Fatal("the first save has no error")
		}
		if err := os.RemoveAll(filepath.Dir(inTheWay)); err != nil {
			t.Fatal(err)
		}
		if err := again(opened); err != nil {
			t.Fatal(err)
		}
		if got, err := MarksOf(t.Context(), path); err != nil || !slices.Equal(got, []record.Mark{want}) {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

func TestSetMark_LongNote(t *testing.T) {
	s, err := Create(Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	ping(s)
	if err := s.SetMark(record.Mark{Note: strings.Repeat("ä", 2000)}); err != nil {
		t.Fatal(err)
	}
	if note := s.MarkAt(0).Note; note != strings.Repeat("ä", maxNote/2) {
		t.Errorf("%d bytes", len(note))
	}
}

func TestRowAt(t *testing.T) {
	s, err := Create(Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if row := s.RowAt(time.Now()); row != None {
		t.Errorf("row %d of none", row)
	}
	for range 10 {
		ping(s)
	}
	start := time.Unix(1_800_000_000, 0)
	for after, want := range map[time.Duration]int32{-time.Hour: 0, 0: 0, 3 * time.Second: 3, 3*time.Second + 1: 4, time.Hour: 9} {
		if row := s.RowAt(start.Add(after)); row != want {
			t.Errorf("%v: row %d, want %d", after, row, want)
		}
	}
}

// TestDrift_IsANoteOnTheList: who opens the recording sees it at the frame, without a mark that
// comparisons would use; a note of the user replaces it.
func TestDrift_IsANoteOnTheList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcptea.jsonl")
	w, err := NewWriter(Options{Path: path}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0)
	body := []byte(`{"jsonrpc":"2.0","method":"x"}`)
	for range 2 {
		w.Frame(transport.Frame{Bytes: body, Envelope: jsonrpc.Scan(body), Time: at})
	}
	for row := range int32(2) {
		w.Event(&record.Event{Kind: record.KindDrift, Time: at, Text: "tools x added", Drift: &record.Drift{Row: row}})
	}
	w.Event(&record.Event{Kind: record.KindMark, Time: at, Mark: &record.Mark{Row: 1, Note: "agreed"}})
	w.Event(&record.Event{Kind: record.KindDrift, Time: at, Text: "about no frame", Drift: &record.Drift{Row: 9}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []record.Mark{{Row: 0, Note: "drift: tools x added"}, {Row: 1, Note: "agreed"}, {Row: 9, Note: "drift: about no frame"}}
	if got, err := MarksOf(t.Context(), path); err != nil || !slices.Equal(got, want) {
		t.Errorf("without loading: %+v, %v", got, err)
	}
	s := loaded(t, path)
	if got := s.Marks(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if l, ok := s.LogAt(0); !ok || l.Row != 0 || l.Text != "drift: tools x added" || l.Level != LevelWarning {
		t.Errorf("the log: %+v", l)
	}
	if _, ok := s.LogAt(2); ok {
		t.Error("the log leads to a frame that the recording does not have")
	}
}
