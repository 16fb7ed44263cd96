package content

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"
)

func le(n, size int) string {
	b := binary.LittleEndian.AppendUint64(nil, uint64(n))
	return string(b[:size])
}

func TestAudioOf(t *testing.T) {
	xing := "\xff\xfb\x90\x00" + strings.Repeat("\x00", 32) + "Xing\x00\x00\x00\x01\x00\x00\x00\x64"
	flac := "fLaC\x00\x00\x00\x22" + strings.Repeat("\x00", 10) + "\x0a\xc4\x42\xf0\x00\x01\x58\x88" // 44100 Hz, 2 channels, 16 bits, 88200 samples
	for name, tc := range map[string]struct {
		data string
		want audio
	}{
		"wav":           {"RIFF\x00\x00\x00\x00WAVEfmt " + le(16, 4) + le(1, 2) + le(1, 2) + le(8000, 4) + le(16000, 4) + le(2, 2) + le(16, 2) + "data" + le(32000, 4), audio{"WAV", 2 * time.Second, 8000, 1}},
		"wav, cut":      {"RIFF\x00\x00\x00\x00WAVEfmt ", audio{format: "WAV"}},
		"flac":          {flac, audio{"FLAC", 2 * time.Second, 44100, 2}},
		"flac, cut":     {flac[:20], audio{format: "FLAC"}},
		"vorbis":        {"OggS" + strings.Repeat("\x00", 24) + "\x01vorbis" + le(0, 4) + "\x02" + le(44100, 4) + "OggS\x00\x04" + le(44100*3, 8), audio{"Ogg Vorbis", 3 * time.Second, 44100, 2}},
		"opus":          {"OggS" + strings.Repeat("\x00", 24) + "OpusHead\x01\x01" + le(312, 2) + le(44100, 4) + "OggS\x00\x04" + le(48000+312, 8), audio{"Ogg Opus", time.Second, 48000, 1}},
		"ogg, no data":  {"OggS", audio{format: "Ogg"}},
		"mp3, constant": {"ID3\x04\x00\x00\x00\x00\x00\x02ab" + "\xff\xfb\x90\xc0" + strings.Repeat("\x00", 16000-4), audio{"MP3", time.Second, 44100, 1}},
		"mp3, Xing":     {xing, audio{"MP3", samples(100*1152, 44100), 44100, 2}},
		"no sound":      {"\xff\xfbx", audio{}},
		"nothing":       {"", audio{}},
	} {
		if got := audioOf([]byte(tc.data)); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}

func FuzzAudioOf(f *testing.F) {
	for _, s := range []string{"RIFF\x00\x00\x00\x00WAVEfmt ", "fLaC\x00", "OggS\x01vorbis", "ID3\x04", "\xff\xfb\x90\xc0", "OggSOpusHead"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if a := audioOf(data); a.took < 0 || a.rate < 0 || a.channels < 0 {
			t.Errorf("%+v", a)
		}
	})
}
