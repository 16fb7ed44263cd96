package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"mcptea/internal/system"
	"mcptea/ui/paint"
)

// InputError returns a usage error for a failed read. It returns nil and the error of
// an interrupted read unchanged.
func InputError(hint, what string, err error) error {
	if err == nil || SignalOf(err) != nil {
		return err
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
		if near := NearFiles(at.Path); near != "" {
			hint = near
		}
	}
	e := &Error{Code: ExitUsage, Text: fmt.Sprintf("%s: %v", what, err), Hint: hint}
	e.File, e.Line = paint.PlaceOf(err)
	return e
}

// ReadNamed reads a text file that the command line names, or stdin for "-", without a byte order mark. what describes it in an error.
func (p *App) ReadNamed(what, name string) (text []byte, err error) {
	if name == "-" {
		text, err = ReadStdin(p.Ctx, p.In)
	} else {
		text, err = ReadFile(p.Ctx, name, MaxStdin)
	}
	return system.WithoutMark(text), InputError("", "cannot read the "+what, err)
}

// CheckJSON returns an error if a text is not JSON.
func CheckJSON(b []byte) error {
	var v json.RawMessage
	return json.Unmarshal(b, &v)
}
