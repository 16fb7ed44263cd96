package main

import (
	"bytes"
	"os"
	"testing"
)

func TestNotices_Current(t *testing.T) {
	var want bytes.Buffer
	if err := write(t.Context(), &want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../packaging/NOTICES.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("packaging/NOTICES.txt is not current: go run ./internal/test/notices > packaging/NOTICES.txt")
	}
}
