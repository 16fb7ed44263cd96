package resources

import (
	"fmt"
	"testing"
)

func TestCompletions_Bounds(t *testing.T) {
	var all completions
	for i := range maxCompleted {
		all.add(fmt.Sprintf("t%d://{x}", i), []byte(`["a"]`))
	}
	if len(all.of) != maxCompleted || all.of[0].text != "t0://{x}" {
		t.Errorf("at the bound: %d templates, the first %s", len(all.of), all.of[0].text)
	}
	all.add("more://{x}", []byte(`["a"]`))
	if len(all.of) != maxCompleted || all.of[0].text != "t1://{x}" {
		t.Errorf("beyond the bound: %d templates, the first %s", len(all.of), all.of[0].text)
	}
	for i := range maxCompletedValues + 1 {
		all.add("more://{x}", fmt.Appendf(nil, `["v%d"]`, i))
	}
	if n := len(all.of[maxCompleted-1].values); n != maxCompletedValues {
		t.Errorf("%d values are kept", n)
	}
	all.add("two://{x}/{y}", []byte(`["a"]`))
	if last := all.of[maxCompleted-1].text; last != "more://{x}" {
		t.Errorf("a template with two variables is kept: %s", last)
	}
}
