package primitives_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/demo/primitives"
	"mcptea/offer/skill"
)

func TestCatalog_New_EachEntryRuns(t *testing.T) {
	server := primitives.New(0)
	for _, list := range revision.Lists {
		for _, e := range server.Lists[list.Name] {
			if e.Key == "" || e.Run == nil && len(e.Files) == 0 && list.Name != revision.Events.Name {
				t.Errorf("%s: %q has no key or no function", list.Name, e.Key)
			}
		}
	}
}

func TestCatalog_Resources_SizeIsThatOfTheContents(t *testing.T) {
	measured := 0
	for _, e := range primitives.New(0).Lists[revision.Resources.Name] {
		size := string(jsonrpc.Get(e.Wire, "size"))
		if size == "" || e.Result == nil {
			continue
		}
		measured++
		var contents struct{ Text, Blob string }
		if err := json.Unmarshal(e.Result, &contents); err != nil {
			t.Fatal(err)
		}
		data, err := base64.StdEncoding.DecodeString(contents.Blob)
		if err != nil {
			t.Fatal(err)
		}
		if got := strconv.Itoa(len(contents.Text) + len(data)); got != size {
			t.Errorf("%s has %s bytes", e.Key, got)
		}
	}
	if measured == 0 {
		t.Error("no resource has a size")
	}
}

func demoFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("files", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCatalog_PictureIsAPicture(t *testing.T) {
	for name, size := range map[string]int{"picture": 64, "icon": 16} {
		img, err := png.Decode(bytes.NewReader(demoFile(t, name+".png")))
		if err != nil || img.Bounds().Dx() != size {
			t.Fatalf("%s: %v", name, err)
		}
		if img.At(0, 0) == img.At(size*13/32, size*20/32) {
			t.Errorf("%s: the cup cannot be told from the background", name)
		}
	}
}

func TestCatalog_ToneIsAWholeWAVFile(t *testing.T) {
	for name, milliseconds := range map[string]int{"tone": 250, "spoon": 300} {
		wav := demoFile(t, name+".wav")
		if len(wav) != 44+2*8*milliseconds || string(wav[:4]) != "RIFF" || string(wav[8:16]) != "WAVEfmt " || string(wav[36:40]) != "data" {
			t.Errorf("%s: %d bytes, %q", name, len(wav), wav[:44])
		}
	}
}

// Each skill of the demo server is one that a host may load, and each file is what its entry says.
func TestCatalog_Skills_AreVerified(t *testing.T) {
	states := map[skill.State]int{}
	for _, e := range primitives.New(0).Lists[revision.Skills.Name] {
		entry := skill.Parse(e.Wire)
		if faults := entry.Faults(); faults != nil {
			t.Errorf("%s: %v", e.Key, faults)
		}
		for _, f := range e.Files {
			v := entry.Verify(entry.FileURI(f.Path), []byte(f.Text))
			if v.Failures != nil || v.Doubts != nil {
				t.Errorf("%s of %s: %+v", f.Path, e.Key, v)
			}
			states[v.State]++
		}
	}
	if states[skill.Verified] != 6 || states[skill.Unchecked] != 1 {
		t.Errorf("%v", states)
	}
}
