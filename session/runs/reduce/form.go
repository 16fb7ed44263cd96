package reduce

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/jsontree"
	"mcptea/lint"
	"mcptea/lint/lintfile"
	"mcptea/record"
)

// form is a form of the file for a dialogue. The dialogue is checked and written in it.
type form struct {
	isRecording bool // a recording of mcptea; otherwise a frame on each line, after its direction
	isPart      bool // the file says that it is a part of a session: the order of frames is not judged
	keepsTimes  bool // keeps the times of the recording; otherwise each event follows 1 ms after the previous one
	transport   string
}

// forms returns the forms that may keep a finding, the simplest first. A rule that needs the whole
// session does not judge a part of it.
func (d *Dialogue) forms(rule *lint.Entry) (all []form) {
	for _, f := range []form{{}, {isRecording: true}, {isRecording: true, keepsTimes: true}} {
		f.transport = d.header.Transport
		if !rule.Whole {
			f.isPart = true
			all = append(all, f)
		}
		if f.isPart = d.header.Part; !f.isPart {
			all = append(all, f)
		}
	}
	return all
}

// Of a recording, the time of the first event, and the program that wrote it.
const (
	firstTime = int64(1_767_225_600) * int64(time.Second)
	tool      = "mcptea reduce"
)

// frames returns the events that the form can have.
func (f form) frames(all []Frame) (part []Frame) {
	for i := range all {
		if f.isRecording || all[i].IsFrame() {
			part = append(part, all[i])
		}
	}
	return part
}

// text returns the file of a dialogue. ok is false if a frame cannot be one of its lines.
func (f form) text(frames []Frame) (text string, ok bool) {
	if f.isRecording {
		return f.recording(frames), true
	}
	var b strings.Builder
	if f.isPart {
		b.WriteString(lintfile.PartLine + "\n")
	}
	for i := range frames {
		x := &frames[i]
		b.WriteString(map[bool]string{false: "< ", true: "> "}[x.Out])
		if raw := x.raw; raw != nil {
			if len(raw) == 0 || bytes.ContainsAny(raw, "\r\n") || !utf8.Valid(raw) || x.wire.Ending != "" && x.wire.Ending != "\n" || x.wire.Truncated {
				return "", false
			}
			b.Write(raw)
		} else {
			b.WriteString(jsontree.Encode(x.Body, nil))
		}
		b.WriteByte('\n')
	}
	return b.String(), true
}

// recording returns the recording of a dialogue.
func (f form) recording(frames []Frame) string {
	b := record.AppendHeader(nil, record.Header{Time: firstTime, Tool: tool, Transport: f.transport, Part: f.isPart})
	for i := range frames {
		x, at := &frames[i], firstTime+int64(i+1)*int64(time.Millisecond)
		if f.keepsTimes {
			at = firstTime + x.at
		}
		if !x.IsFrame() {
			b = fmt.Appendf(b, `{"s":%d,"t":%d,"k":%q`, i+1, at, x.event)
			if members := jsontree.Encode(x.Body, nil); members != "{}" {
				b = append(b, ","+members[1:]...)
			} else {
				b = append(b, '}')
			}
			b = append(b, '\n')
			continue
		}
		wire := x.wire
		wire.Bytes = x.bytes()
		wire.Time, wire.Envelope = time.Unix(0, at), jsonrpc.Scan(wire.Bytes)
		wire.Cause = transport.Ref{}
		b, _ = record.AppendFrame(b, int64(i+1), 0, &wire)
	}
	return string(b)
}

// lint returns the findings in the file of a dialogue, and the length of the file. Their rows are indexes of frames, or
// -1. ok is false if the file is not a dialogue.
func (f form) lint(ctx context.Context, frames []Frame) (all []lint.Finding, size int, ok bool) {
	text, ok := f.text(frames)
	if !ok {
		return nil, 0, false
	}
	before := int32(1) // lines before the first event; lines count from 1
	if f.isRecording || f.isPart {
		before++
	}
	report, err := lintfile.Lint(ctx, strings.NewReader(text), func(x lint.Finding) {
		x.Row = max(x.Row-before, -1)
		for i := range x.Related {
			x.Related[i] = max(x.Related[i]-before, -1)
		}
		all = append(all, x)
	})
	return all, len(text), err == nil && report.Skipped == 0
}
