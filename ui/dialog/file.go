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

// File is the text field of the path of a file to write. A file that exists is replaced
// when the user accepts twice, a directory gets the name that was suggested.
type File struct {
	Input   textfield.Input
	Problem string // a sentence, until the text changes
	Own     string // a file that is never replaced; empty without one

	name    string // that was suggested
	typed   bool   // the user has changed the path
	replace string // path of a file that the user accepts to replace
}

// Suggest puts the name of a file into the field, unless the user has typed one. It is selected: what is typed
// replaces it.
func (f *File) Suggest(name string) {
	f.name, f.Problem, f.replace = name, "", ""
	if !f.typed {
		f.Input.SetValue(name)
		f.Input.Choose()
	}
}

// Replace is Suggest in the place of what the user has typed.
func (f *File) Replace(name string) {
	f.typed = false
	f.Suggest(name)
}

// Edited takes note that the user has changed the path.
func (f *File) Edited() { f.typed, f.Problem, f.replace = true, "", "" }

// Text is what was typed, without space around it.
func (f *File) Text() string { return strings.TrimSpace(f.Input.Value()) }

// Path returns what finds the path to write, or why it cannot be written, outside of
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

// Failed shows why a path was not written.
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

// Wrote says that a file was written, in which directory, and what it is.
func Wrote(path, what string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	home, _ := os.UserHomeDir() // without one, paths are shown whole
	return "Wrote " + phrase.ShortPath(home, path) + " (" + what + ")"
}
