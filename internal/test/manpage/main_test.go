package main

import (
	"strings"
	"testing"
)

func TestManPage(t *testing.T) {
	page, err := manPage()
	if err != nil || !strings.Contains(page, ".TH MCPTEA 1") {
		t.Errorf("%.200s\n%v", page, err)
	}
}
