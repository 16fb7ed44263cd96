package content

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"time"
)

// audio are facts about a sound, from its headers. Zero fields are not known.
type audio struct {
	format   string
	took     time.Duration
	rate     int // samples a second
	channels int
}

// facts lists what is known.
func (a audio) facts() []Fact {
	var all []Fact
	if a.format != "" {
		all = append(all, Fact{Text: a.format})
	}
	if a.took > 0 {
		all = append(all, Fact{Took: a.took})
	}
	if a.rate > 0 {
		all = append(all, Fact{Text: strconv.FormatFloat(float64(a.rate)/1000, 'f', -1, 64) + " kHz"})
	}
	switch a.channels {
	case 0:
	case 1:
		all = append(all, Fact{Text: "mono"})
	case 2:
		all = append(all, Fact{Text: "stereo"})
	default:
		all = append(all, Fact{Text: strconv.Itoa(a.channels) + " channels"})
	}
	return all
}

// audioOf reads the headers of a WAV, FLAC, Ogg or MP3 file.
func audioOf(data []byte) audio {
	var a audio
	switch {
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WAVE":
		a = wav(data)
	case bytes.HasPrefix(data, []byte("fLaC")):
		a = flac(data)
	case bytes.HasPrefix(data, []byte("OggS")):
		a = ogg(data)
	default:
		a = mp3(data)
	}
	if a.took < 0 || a.took > 1000*time.Hour { // a header that is not true
		a.took = 0
	}
	return a
}

// samples is the duration of so many samples.
func samples(n uint64, rate int) time.Duration {
	if rate <= 0 {
		return 0
	}
	seconds := float64(n) / float64(rate)
	if seconds > 1e6 {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// wav reads the chunks of a RIFF file.
func wav(data []byte) audio {
	a := audio{format: "WAV"}
	perSecond := 0 // bytes
	for at := 12; at+8 <= len(data); {
		id, size := string(data[at:at+4]), binary.LittleEndian.Uint32(data[at+4:])
		switch {
		case id == "fmt " && at+20 <= len(data):
			a.channels = int(binary.LittleEndian.Uint16(data[at+10:]))
			a.rate = int(binary.LittleEndian.Uint32(data[at+12:]))
			perSecond = int(binary.LittleEndian.Uint32(data[at+16:]))
		case id == "data":
			a.took = samples(uint64(size), perSecond)
			return a
		}
		at += 8 + int(size) + int(size&1)
	}
	return a
}

// flac reads the STREAMINFO block (RFC 9639, section 8.2).
func flac(data []byte) audio {
	a := audio{format: "FLAC"}
	if len(data) < 26 || data[4]&0x7f != 0 {
		return a
	}
	bits := binary.BigEndian.Uint64(data[18:])
	a.rate = int(bits >> 44)
	a.channels = int(bits>>41&7) + 1
	a.took = samples(bits&(1<<36-1), a.rate)
	return a
}

// ogg reads the first packet of Vorbis or Opus (RFC 7845), and the position of the last
// page.
func ogg(data []byte) audio {
	a := audio{format: "Ogg"}
	clock, skip := 0, uint64(0) // samples a second of positions, and those that are not played
	head := data[:min(len(data), 256)]
	if i := bytes.Index(head, []byte("\x01vorbis")); i >= 0 && i+16 <= len(head) {
		a.format, a.channels = "Ogg Vorbis", int(head[i+11])
		a.rate = int(binary.LittleEndian.Uint32(head[i+12:]))
		clock = a.rate
	} else if i := bytes.Index(head, []byte("OpusHead")); i >= 0 && i+16 <= len(head) {
		a.format, a.channels = "Ogg Opus", int(head[i+9])
		skip = uint64(binary.LittleEndian.Uint16(head[i+10:]))
		a.rate, clock = 48000, 48000
	}
	tail := data[max(0, len(data)-64<<10-32):]
	if i := bytes.LastIndex(tail, []byte("OggS")); i >= 0 && i+14 <= len(tail) && clock > 0 {
		if position := binary.LittleEndian.Uint64(tail[i+6:]); position >= skip {
			a.took = samples(position-skip, clock)
		}
	}
	return a
}

var (
	// mp3Bitrates of layer III in kbit/s: of MPEG 1, and of MPEG 2 and 2.5.
	mp3Bitrates = [2][16]int{
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
	}
	mp3Rates = [4]int{44100, 48000, 32000}
)

// mp3 reads the header of the first frame, and the number of frames in a Xing header;
// without that the bit rate is taken as constant.
func mp3(data []byte) audio {
	at := 0
	if len(data) >= 10 && string(data[:3]) == "ID3" { // sizes have 7 bits in a byte
		at = 10 + int(data[6]&0x7f)<<21 + int(data[7]&0x7f)<<14 + int(data[8]&0x7f)<<7 + int(data[9]&0x7f)
	}
	if at+4 > len(data) || data[at] != 0xff || data[at+1]&0xe0 != 0xe0 {
		return audio{}
	}
	version, layer := data[at+1]>>3&3, data[at+1]>>1&3
	rate, bitrate := mp3Rates[data[at+2]>>2&3], 0
	if layer != 1 || version == 1 || rate == 0 {
		return audio{}
	}
	perFrame, side := 1152, 32 // samples of a frame, and bytes before a Xing header
	if version != 3 {          // MPEG 2 or 2.5
		rate, perFrame, side = rate/2, 576, 17
		if version == 0 {
			rate /= 2
		}
		bitrate = mp3Bitrates[1][data[at+2]>>4]
	} else {
		bitrate = mp3Bitrates[0][data[at+2]>>4]
	}
	a := audio{format: "MP3", rate: rate, channels: 2}
	if data[at+3]>>6 == 3 {
		a.channels = 1
		side = map[int]int{32: 17, 17: 9}[side]
	}
	if x := at + 4 + side; x+12 <= len(data) && (string(data[x:x+4]) == "Xing" || string(data[x:x+4]) == "Info") && data[x+7]&1 == 1 {
		a.took = samples(uint64(binary.BigEndian.Uint32(data[x+8:]))*uint64(perFrame), rate)
	} else if bitrate > 0 {
		a.took = samples(uint64(len(data)-at), bitrate*125)
	}
	return a
}
