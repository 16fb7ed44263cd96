package inspector

import (
	"context"
	"os"
	"reflect"
	"strings"
	"testing"

	"mcptea/session/session"
	"mcptea/session/sharing"
	"mcptea/themes"
	"mcptea/ui/pane/intercept"
	"mcptea/ui/program"
)

// newUnconnected returns an inspector without a server.
func newUnconnected(t *testing.T) *model {
	t.Helper()
	s, err := session.Open(session.Config{Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	m, stop := newModel(t.Context(), s, Options{
		Options: program.Options{Themes: &themes.Catalog{}}, Sharing: &sharing.Session{},
		MuteAlways: func(string, bool) (string, error) { return "", nil },
		Attach:     func(context.Context, string) (*intercept.Attached, error) { return nil, nil },
	}, sections(Own{}))
	t.Cleanup(func() {
		stop()
		m.Stop()
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return m
}

// A folder of ui/pane that the inspector does not have would compile, and its pane be on no
// screen.
func TestPanes_EachFolderHasARow(t *testing.T) {
	m := newUnconnected(t)
	wired := map[string]bool{}
	for _, w := range windowsWithKeys(m.Program) {
		wired[strings.Split(w.folder, "/")[0]] = true
	}
	wired["start"], wired["recordings"], wired["statistics"] = true, true, true // the screens of ui/single
	for _, w := range m.wirings() {
		wired[strings.Split(w.folder, "/")[0]] = true
		switch p := w.make(m.of(w.id)); {
		case p == nil && w.key == "" && w.show == nil:
		case p == nil:
			t.Errorf("the row %q has no pane", w.folder)
		case w.key == "" && w.show == nil:
			t.Errorf("no command leads to the pane of the row %q", w.folder)
		default:
			if of := reflect.TypeOf(p).Elem().PkgPath(); of != "mcptea/ui/pane/"+w.folder {
				t.Errorf("the row %q makes a pane of %s", w.folder, of)
			}
		}
	}
	folders, err := os.ReadDir("../pane")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && f.Name() != "testdata" && !wired[f.Name()] {
			t.Errorf("ui/pane/%s has no row in wirings (ui/inspector/panes.go), in windowsWithKeys (ui/inspector/sections.go) or in ui/single", f.Name())
		}
	}
}

// A function that a pane calls and that was not given to it ends the program when its key
// is pressed.
func TestPanes_GetAllTheyCall(t *testing.T) {
	m := newUnconnected(t)
	for _, at := range m.Routes() {
		unset(t, reflect.TypeOf(at.Part).Elem().String(), reflect.ValueOf(at.Part).Elem())
	}
}

// unset reports the exported fields of a struct, and of the exported structs in it, that
// hold functions or interfaces and are nil.
func unset(t *testing.T, name string, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		f, is := v.Type().Field(i), v.Field(i)
		if !f.IsExported() || !strings.HasPrefix(v.Type().PkgPath(), "mcptea/ui/pane/") {
			continue
		}
		switch is.Kind() {
		case reflect.Func, reflect.Interface, reflect.Pointer:
			if is.IsNil() {
				t.Errorf("%s.%s is not set", name, f.Name)
			}
		case reflect.Struct:
			unset(t, name+"."+f.Name, is)
		}
	}
}
