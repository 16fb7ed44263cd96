package revision_test

import (
	"testing"

	"mcptea/client/revision"
)

func TestShape_Defines(t *testing.T) {
	for _, tt := range []struct {
		r    revision.Revision
		path []string
		want bool
	}{
		{revision.R20241105, []string{"arguments", "title"}, false},
		{revision.R20250618, []string{"arguments", "title"}, true},
		{revision.R20251125, []string{"icons", "theme"}, true},
		{revision.R20250618, []string{"icons", "theme"}, false},
		{revision.R20250618, []string{"_meta", "anything", "below"}, true},
	} {
		if got := revision.ShapePrompt.Defines(tt.r, tt.path[0], tt.path[1:]...); got != tt.want {
			t.Errorf("%q in %s: %v", tt.path, tt.r, got)
		}
	}
}

func TestShape_Describes(t *testing.T) {
	if !revision.ShapePrompt.Describes("arguments") || revision.ShapePrompt.Describes("arguments", "title") || revision.ShapeTool.Describes("inputSchema") {
		t.Error("arguments of prompts are described, and neither their titles nor schemas are")
	}
}

func TestShape_ByRevision(t *testing.T) {
	for _, tt := range []struct {
		shape  revision.Shape
		r      revision.Revision
		member string
		want   bool
	}{
		{revision.ShapeTool, revision.R20241105, "title", false},
		{revision.ShapeTool, revision.R20250618, "title", true},
		{revision.ShapeTool, revision.R20241105, "annotations", false},
		{revision.ShapeTool, revision.R20251125, "execution", true},
		{revision.ShapeTool, revision.R20260728, "execution", false},
		{revision.ShapePrompt, "2099-01-01", "icons", true},
		{revision.ShapePrompt, revision.R20241105, "nonsense", false},
	} {
		if got := tt.shape.Defines(tt.r, tt.member); got != tt.want {
			t.Errorf("%s.%s in %s: %v", tt.shape, tt.member, tt.r, got)
		}
	}
}
