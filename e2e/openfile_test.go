package e2e

import (
	"go/ast"
	"go/token"
	"testing"
)

// openers are functions that open a path, whatever it leads to, by the path of their package.
var openers = map[string][]string{"os": {"Open", "OpenFile", "ReadFile"}}

// mayOpen are the functions that may open a path by themselves, "folder/file.go: function", with the reason.
var mayOpen = map[string]string{
	"internal/system/regularfile.go: OpenRegular":      "the one door",
	"internal/system/lock.go: locked":                  "a lock file in a directory of mcptea",
	"internal/system/lock.go: Try":                     "a lock file in a directory of mcptea",
	"internal/system/atomicfile.go: ReplaceFile":       "writes to what is not a regular file, such as /dev/stdout",
	"cli/app/output.go: OpenOutput":                    "a file that the user names for output",
	"cli/app/recordingfile.go: CopyPipe":               "a pipe that the user names",
	"cli/app/recordingfile.go: OpenInput":              "a recording that the user names, possibly a pipe",
	"cli/app/sharedinput.go: readFile":                 "a file that the user names, possibly a pipe; it has a bound and ends with its context",
	"cli/app/otherfile.go: NearFiles":                  "the directory of a path that the user has typed",
	"client/hosts/unpack.go: unpackFile":               "creates a file",
	"client/transport/stdio/death_linux.go: IsStopped": "/proc",
	"client/transport/stdio/family_linux.go: names":    "/proc",
	"session/apps/forward.go: Save":                    "creates a file",
	"session/export/file.go: readFile":                 "a recording that the user names, possibly a pipe",
	"record/store/lines.go: newLines":                  "creates a file",
	"ui/dialog/paths.go: completePath":                 "the directory of a path that the user has typed",
	"ui/program/service.go: EditText":                  "a temporary file of mcptea",
}

// TestOpenFile_OneDoor refuses code that opens a path which is not the user's own word by itself: a clone of
// a repository may contain a link to /dev/zero, or a pipe. system.OpenRegular and system.ReadRegular refuse
// both, without waiting.
func TestOpenFile_OneDoor(t *testing.T) {
	unused := map[string]bool{}
	for place := range mayOpen {
		unused[place] = true
	}
	eachFile(t, func(file string, f *ast.File, line func(token.Pos) int) {
		for at, within := range usesIn(f, openers) {
			place := file + ": " + within
			delete(unused, place)
			if mayOpen[place] == "" {
				t.Errorf("%s, line %d: opens a path that may be a device or a pipe; use system.OpenRegular or system.ReadRegular", place, line(at))
			}
		}
	})
	for place := range unused {
		t.Errorf("%s no longer opens a path: remove it from the list", place)
	}
}
