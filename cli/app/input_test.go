//go:build unix

package app_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcptea/cli/app"
)

func TestReadFile_Types(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := app.ReadFile(t.Context(), file, 5); err != nil || string(b) != "12345" {
		t.Errorf("regular file: %q, %v", b, err)
	}
	var large *app.TooLargeError
	if _, err := app.ReadFile(t.Context(), file, 4); !errors.As(err, &large) || large.Name != file {
		t.Errorf("file above the limit: %v", err)
	}
	for _, path := range []string{"/dev/zero", dir} {
		var kind *app.TypeError
		if _, err := app.ReadFile(t.Context(), path, 10); !errors.As(err, &kind) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := app.ReadFile(t.Context(), filepath.Join(dir, "none"), 10); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestReadFile_NamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := app.ReadFile(ctx, path, 10); !errors.Is(err, stop) {
		t.Errorf("without a writer: %v", err)
	}
	path = filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString("hello")
			_ = f.Close()
		}
	}()
	if b, err := app.ReadFile(t.Context(), path, 10); err != nil || string(b) != "hello" {
		t.Errorf("with a writer: %q, %v", b, err)
	}
}

func TestRead_EndsWithContext(t *testing.T) {
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := app.ReadStdin(ctx, r); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}
