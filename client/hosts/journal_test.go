package hosts

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcptea/internal/system"
)

func TestUnwrap_RestoresEveryByte(t *testing.T) {
	for _, c := range wrapCases(t) {
		for _, want := range c.wrap {
			if want.Refuse != "" {
				continue
			}
			t.Run(path.Join(filepath.Base(c.dir), c.file, want.Server), func(t *testing.T) {
				j := Journal{t.TempDir()}
				file := c.wrappedFile(t, j, want.Server)
				if got := c.unwrapped(t, j, file, want.Server); got != string(c.data) {
					t.Errorf("with the journal: got\n%s", got)
				}
				if left, _ := filepath.Glob(filepath.Join(j.Dir, "*")); len(left) > 0 {
					t.Errorf("%q are left in the journal", left)
				}
				if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
					t.Errorf("mode %v, %v", info.Mode(), err)
				}
				// Another change of the file is kept.
				file = c.wrappedFile(t, j, want.Server)
				change := "\n"
				appendTo(t, file, change)
				if got := c.unwrapped(t, j, file, want.Server); got != string(c.data)+change {
					t.Errorf("after another change: got\n%s\nwant\n%s", got, c.data)
				}
			})
		}
	}
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// Without a record the entry itself has its command.
func TestUnwrap_WithoutJournal(t *testing.T) {
	for _, c := range wrapCases(t) {
		for _, want := range c.wrap {
			if want.Refuse != "" || strings.Contains(want.File, ".docs.") || strings.Contains(want.File, "wrapped") && c.named(t, c.data, want.Server).Transport != Stdio {
				continue
			}
			t.Run(path.Join(filepath.Base(c.dir), c.file, want.Server), func(t *testing.T) {
				before := c.named(t, c.data, want.Server)
				file := c.wrappedFile(t, Journal{t.TempDir()}, want.Server)
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				edit, err := Journal{t.TempDir()}.Unwrap(c.named(t, data, want.Server))
				if err != nil {
					t.Fatal(err)
				}
				after := c.named(t, edit.After, want.Server)
				if after == nil || after.Wrapped || !after.Launches(before) {
					t.Errorf("got\n%s", edit.After)
				}
			})
		}
	}
}

const twoServers = `{"mcpServers": {"a": {"command": "x", "env": {"API_KEY": "abcdef0123456789abcdef"}}, "b": {"command": "y"}}}`

func TestApply_ChangedFileIsNotWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.json")
	edit, err := configured(t, file, twoServers).Wrap(wrapHere)
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, file, " ")
	j := Journal{t.TempDir()}
	if err := j.Apply(edit); !errors.Is(err, system.ErrChanged) {
		t.Errorf("got %v", err)
	}
	if data, _ := os.ReadFile(file); string(data) != twoServers+" " {
		t.Errorf("the file has %s", data)
	}
	gone, err := configured(t, filepath.Join(t.TempDir(), "c.json"), twoServers).Wrap(wrapHere)
	if err != nil || os.Remove(gone.File) != nil {
		t.Fatal(err)
	}
	if err := j.Apply(gone); err == nil || err.Error() != "the file has been removed since it was read" {
		t.Errorf("of a removed file: got %v", err)
	}
	for _, d := range []string{dir, j.Dir} {
		if names, _ := filepath.Glob(filepath.Join(d, "*")); len(names) > 1 || len(names) == 1 && names[0] != file {
			t.Errorf("%q are left", names)
		}
		if names, _ := filepath.Glob(filepath.Join(d, ".*")); len(names) > 0 {
			t.Errorf("%q are left", names)
		}
	}
}

func TestApply_SymbolicLinkAndBackup(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "c.json"), filepath.Join(dir, "link.json")
	s := configured(t, file, twoServers)
	if err := os.Symlink(file, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	s.Source.File = link
	edit, err := s.Wrap(wrapHere)
	if err != nil {
		t.Fatal(err)
	}
	j := Journal{filepath.Join(dir, "state", "wrapped")}
	if err := j.Apply(edit); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if data, _ := os.ReadFile(file); string(data) != string(edit.After) || !edit.Kept() {
		t.Errorf("the file has %s", data)
	}
	backup := j.Backup(s.ID())
	data, err := os.ReadFile(backup)
	if err != nil || string(data) != twoServers {
		t.Errorf("the backup has %s, %v", data, err)
	}
	names, _ := filepath.Glob(filepath.Join(j.Dir, "*"))
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
}

// Entries of one file are wrapped and unwrapped in any order.
func TestUnwrap_InAnotherOrder(t *testing.T) {
	dir := t.TempDir()
	file, j := filepath.Join(dir, "c.json"), Journal{filepath.Join(dir, "wrapped")}
	configured(t, file, twoServers)
	for _, name := range []string{"a", "b"} {
		edit, err := inFile(t, file, name).Wrap(wrapHere)
		if err == nil {
			err = j.Apply(edit)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		edit, err := j.Unwrap(inFile(t, file, name))
		if err == nil {
			err = j.Apply(edit)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if data, _ := os.ReadFile(file); string(data) != twoServers {
		t.Errorf("got %s", data)
	}
}

// The record of an edit that was not written, because the program was killed, is dropped.
func TestUnwrap_EditThatWasNotWritten(t *testing.T) {
	file, j := filepath.Join(t.TempDir(), "c.json"), Journal{t.TempDir()}
	edit, err := configured(t, file, twoServers).Wrap(wrapHere)
	if err == nil {
		err = j.write(edit)
	}
	if err != nil || len(j.Entries()) != 1 {
		t.Fatal(j.Entries(), err)
	}
	if _, err := j.Unwrap(inFile(t, file, "a")); err == nil {
		t.Error("it is unwrapped")
	}
	if left := j.Entries(); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestMark_ServerBehindTap(t *testing.T) {
	for _, c := range wrapCases(t) {
		for _, want := range c.wrap {
			s := c.named(t, c.data, want.Server)
			if want.Refuse != "" || s.Transport == Stdio {
				continue
			}
			j := Journal{t.TempDir()}
			file := c.wrappedFile(t, j, want.Server)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			wrapped := c.named(t, data, want.Server)
			wrapped.Source.File = file
			j.Mark(&Configuration{Servers: []*Server{wrapped}})
			if !wrapped.Wrapped || wrapped.Written.URL != s.Written.URL || !strings.HasPrefix(wrapped.Tap, "http://127.0.0.1:") {
				t.Errorf("%s: %+v", c.file, wrapped)
			}
		}
	}
}

func TestUnwrap_EntryThatIsNotWrapped(t *testing.T) {
	_, err := Journal{t.TempDir()}.Unwrap(configured(t, filepath.Join(t.TempDir(), "c.json"), twoServers))
	if err == nil || err.Error() != "cannot unwrap claude-desktop/a: the entry does not run through mcptea tap (not-wrapped)" {
		t.Errorf("got %v", err)
	}
}
