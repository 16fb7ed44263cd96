package yamldoc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcptea/internal/yamldoc"
)

func TestParse_Anchors(t *testing.T) {
	anchors := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "- &a%d {name: n%d}\n", i, i)
		}
		return b.String()
	}
	for _, text := range []string{anchors(1000), strings.Repeat("- a && b\n", 5000), strings.Repeat("- https://example.com/?a=1&b=2\n", 5000)} {
		if _, err := yamldoc.Parse("f", []byte(text)); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{anchors(1001), anchors(300_000), strings.Repeat(`[&a 1],`, 1001)} {
		_, err := yamldoc.Parse("f", []byte(text))
		mistake, ok := errors.AsType[*yamldoc.Error](err)
		if !ok || !strings.Contains(mistake.Text, "more than 1000 anchors") || mistake.Hint == "" || strings.HasPrefix(text, "- ") && mistake.Line != 1001 {
			t.Errorf("%v", err)
		}
	}
}
