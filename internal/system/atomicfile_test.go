package system_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/internal/system"
)

func TestAtomicfile_Write_KeepsTheOldFileAfterAnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kept")
	if err := system.WriteFileBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := system.WriteFile(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "old" {
		t.Errorf("the file has %q, %v", text, err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("the directory has %v, %v", files, err)
	}
	if err := system.WriteFileBytes(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != 3 || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
}

// A file is replaced although another program reads it for a moment.
func TestAtomicfile_WriteBytes_FileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := system.WriteFileBytes(path, []byte("before")); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() { written <- system.WriteFileBytes(path, []byte("after")) }()
	runtime.Gosched()
	_ = f.Close()
	if err := <-written; err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "after" {
		t.Errorf("the file has %q", text)
	}
}

// What cannot be created is named as the user has named it.
func TestAtomicfile_WriteBytes_ErrorNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "report.html")
	if err := system.WriteFileBytes(path, nil); err == nil || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "open "+path+":") {
		t.Errorf("%v", err)
	}
}

// Another mcptea that holds the lock is waited for ten seconds.
func TestAtomicfile_Alone_Waits(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed")
	}
	for held, want := range map[time.Duration]string{
		9900 * time.Millisecond: "", 11 * time.Second: "cannot lock LOCK within 10s: locked by another process",
	} {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			lock := filepath.Join(filepath.Dir(path), ".file.lock")
			f, err := os.Create(lock)
			if err != nil || system.TryLockFile(f, true) {
				t.Fatal("the lock is not taken", err)
			}
			time.AfterFunc(held, func() { _ = f.Close() })
			start, ran := time.Now(), false
			err = system.WithLock(path, func() error { ran = true; return nil })
			took := time.Since(start).Round(100 * time.Millisecond)
			switch {
			case want == "" && (err != nil || !ran || took != held):
				t.Errorf("held for %v: %v after %v, ran %t", held, err, took, ran)
			case want != "" && (err == nil || err.Error() != strings.Replace(want, "LOCK", lock, 1) || ran || took != 10*time.Second):
				t.Errorf("held for %v: %v after %v, ran %t", held, err, took, ran)
			}
			time.Sleep(held)
		})
	}
}
