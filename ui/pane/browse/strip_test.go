package browse_test

import (
	"strings"
	"testing"
	"time"

	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/paint"
)

// called has a tool called with each of some outcomes: what it gave, and how long that took.
func called(tb *table, outcomes ...string) {
	tb.Press("enter", "a")
	for i, o := range outcomes {
		tb.Press("ctrl+s")
		text, took, _ := strings.Cut(o, " ")
		d, err := time.ParseDuration(took)
		switch {
		case err != nil:
			panic(err)
		case text == "cancelled":
			tb.answer("", d, session.ErrCancelled)
		case text == "error":
			tb.answer(`"error":{"code":-32603,"message":"down"}`, d, nil)
		default: // _meta differs each time, as a server may have it
			tb.answer(`"result":{"_meta":{"n":`+strings.Repeat("1", i+1)+`},"content":[{"type":"text","text":"`+text+`"}]}`, d, nil)
		}
	}
	tb.Press("ctrl+o")
}

func TestStrip(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		tb := open(t, "tools")
		called(tb, "tea 30ms", "tea 28ms", "coffee 412ms", "tea 29ms")
		tb.sees(size[0], size[1], "  28  412 ≠  29 ms   ≠ not this result")
		tb.Press("[")
		tb.sees(size[0], size[1], "  412  29 ≠ ms   ≠ not this result", "coffee")
		tb.Press("]")
		tb.sees(size[0], size[1], "412 ≠  29 ms")
	}
}

func TestStrip_WhatHasNoResult(t *testing.T) {
	tb := open(t, "tools")
	called(tb, "tea 10ms", "cancelled 2s", "error 5ms", "error 40ms", "tea 41ms")
	tb.sees(120, 24, "calls  10  2,000 –  5.0 ✗  40 ✗  41 ms   same result")
	tb.Press("[")
	tb.sees(120, 24, "  5.0 ✗  40 ✗  41 ≠ ms")
	tb.Press("e", "b", "ctrl+s")
	tb.sees(120, 24, "calls  10  2,000 –  5.0 ✗  40 ✗  41  0.00 ")
}

// A clock may not have moved between a call and its result, or have gone back.
func TestStrip_NoTime(t *testing.T) {
	tb := open(t, "tools")
	called(tb, "tea 5ms", "tea 0ms", "tea -3ms", "tea 20ms")
	tb.sees(120, 24, "calls  5.0  ", "20 ms   same result")
}

// What came on one connection is apart from what came on the next, as an edit has it.
func TestStrip_Restart(t *testing.T) {
	tb := open(t, "tools")
	called(tb, "old 30ms", "old 29ms")
	tb.state.Attempt++
	tb.refresh()
	tb.Press("r")
	tb.answer(`"result":{"content":[{"type":"text","text":"new"}]}`, 31*time.Millisecond, nil)
	tb.sees(80, 24, "  29 ≠  │  31 ms   ≠ not this result")
}

func TestStrip_WithoutColorsAndInASCII(t *testing.T) {
	for ascii, want := range map[bool]string{false: "calls  30 ≠  412 ms   ≠ not this", true: "calls  30 #  412 ms   # not this"} {
		tb := open(t, "tools")
		theme, err := (*themes.Catalog)(nil).Load("monochrome", true)
		if err != nil {
			t.Fatal(err)
		}
		tb.Screen.Pal = paint.NewPalette(theme, ascii)
		called(tb, "tea 30ms", "coffee 412ms")
		tb.sees(100, 24, want)
	}
}

// A call of the strip is shown with a click on it.
func TestStrip_Click(t *testing.T) {
	tb := open(t, "tools")
	called(tb, "tea 30ms", "coffee 412ms")
	for y, row := range strings.Split(tb.screen(100, 24), "\n") {
		if at := strings.Index(row, "30 ≠"); at >= 0 {
			tb.Screen.Click(len([]rune(row[:at])), y)
		}
	}
	tb.sees(100, 24, "call id 8", "tea", "30  412 ≠ ms")
}
