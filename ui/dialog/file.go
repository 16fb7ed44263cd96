package dialog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/textfield"
)

// File is the text field for the path of a file to write. An existing file is replaced if the user accepts
// twice; in a directory, the file gets the suggested name.
type File struct {
	Input   textfield.Input
	Problem string // a sentence, until the text changes
	Own     string // file that is never replaced, or ""

	name    string // suggested name
	typed   bool   // the user has edited the path
	replace string // path of the file that the user has agreed to replace
}

// Suggest fills in the name of a file, unless the user has typed one. The name is selected, so typing replaces
// it.
func (f *File) Suggest(name string) {
	f.name, f.Problem, f.replace = name, "", ""
	if !f.typed {
		f.Input.SetValue(name)
		f.Input.Choose()
	}
}

// Replace is like Suggest, but also replaces a name that the user has typed.
func (f *File) Replace(name string) {
	f.typed = false
	f.Suggest(name)
}

// Edited records that the user has edited the path.
func (f *File) Edited() { f.typed, f.Problem, f.replace = true, "", "" }

// Text returns the typed text, without surrounding space.
func (f *File) Text() string { return strings.TrimSpace(f.Input.Value()) }

// Path returns a function that returns the path to write, or why it cannot be written. Call it outside of
// Update.
func (f *File) Path() func() (string, error) {
	text, name, replace, own := f.Text(), f.name, f.replace, f.Own
	return func() (string, error) {
		path := Home(text)
		info, err := os.Lstat(path)
		switch {
		case err != nil:
		case info.IsDir():
			return filepath.Join(path, name), errNamed
		case !info.Mode().IsRegular():
			return path, errNotRegular
		case isSame(info, own):
			return path, errOwn
		case replace != path:
			return path, errExists
		}
		return path, nil
	}
}

func isSame(info os.FileInfo, path string) bool {
	other, err := os.Stat(path)
	return err == nil && os.SameFile(info, other)
}

// Failed shows why a path could not be written.
func (f *File) Failed(a app.Program, path string, err error) {
	f.Problem = Sentence(err)
	switch {
	case errors.Is(err, errExists):
		f.replace = path
		f.Problem = "The file exists. " + a.Key("dialog.accept") + " again replaces it."
	case errors.Is(err, errNamed):
		f.Input.SetValue(path)
		f.typed, f.Problem = true, ""
	}
}

var (
	errNotRegular = errors.New("this is not a regular file: type another path")
	errOwn        = errors.New("this is the recording itself: type another path")
	errNamed      = errors.New("the path was completed")
	errExists     = errors.New("the file exists")
)

// Wrote returns the message that a file was written: its content and directory.
func Wrote(path, what string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	home, _ := os.UserHomeDir() // without a home directory, paths are shown in full
	return "Wrote " + phrase.ShortPath(home, path) + " (" + what + ")"
}
