package desktop

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
)

// timeout bounds a write: a program may wait for a display that does not respond.
const timeout = 5 * time.Second

// A program takes a text on stdin and puts it on the clipboard.
type program struct {
	argv  []string
	needs string // variable that must be set, or ""
	wide  bool   // takes UTF-16, since it reads other bytes in the code page of the console
}

// programs returns the clipboard programs of an operating system. The first one that exists is used.
func programs(system string) []program {
	clip := program{argv: []string{"clip.exe"}, wide: true}
	switch system {
	case "windows":
		return []program{clip}
	case "darwin":
		return []program{{argv: []string{"pbcopy"}}}
	}
	return []program{
		{argv: []string{"wl-copy"}, needs: "WAYLAND_DISPLAY"},
		{argv: []string{"xclip", "-in", "-selection", "clipboard"}},
		{argv: []string{"xsel", "--input", "--clipboard"}},
		{argv: []string{"termux-clipboard-set"}},
		clip, // the clipboard program of Windows, in its subsystem for Linux
	}
}

// find returns the first of the programs whose variable is set and that is in PATH.
func find(all []program, getenv func(string) string, lookPath func(string) (string, error)) (program, error) {
	var names []string
	for _, p := range all {
		names = append(names, p.argv[0])
		if p.needs != "" && getenv(p.needs) == "" {
			continue
		}
		if _, err := lookPath(p.argv[0]); err == nil {
			return p, nil
		}
	}
	return program{}, fmt.Errorf("%s: %w", strings.Join(names, ", "), exec.ErrNotFound)
}

var ofThisSystem = sync.OnceValues(func() (program, error) {
	return find(programs(runtime.GOOS), os.Getenv, exec.LookPath)
})

// one lets a program end before the next one begins.
var one sync.Mutex

// Copy puts a text on the clipboard. It is safe for concurrent use, and returns within some seconds. The first
// call looks up the programs.
func Copy(text string) error {
	p, err := ofThisSystem()
	if err != nil {
		return err
	}
	one.Lock()
	defer one.Unlock()
	return p.write(text)
}

func (p program) write(text string) error {
	ctx, stop := context.WithTimeout(context.Background(), timeout)
	defer stop()
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	cmd.WaitDelay = time.Second // a child of the program may hold its input
	cmd.Stdin = strings.NewReader(text)
	if p.wide {
		cmd.Stdin = bytes.NewReader(wide(text))
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", p.argv[0], err)
	}
	return nil
}

// wide returns a text in UTF-16, little endian, with a byte order mark.
func wide(text string) []byte {
	b := binary.LittleEndian.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}
