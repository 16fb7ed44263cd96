package revision_test

import (
	"testing"

	"mcptea/client/revision"
)

func TestShapesAreThoseOfTheSchema(t *testing.T) {
	eachSchema(t, func(t *testing.T, r revision.Revision, s schema) {
		for _, shape := range []revision.Shape{
			revision.ShapeTool, revision.ShapeResource, revision.ShapeTemplate, revision.ShapePrompt, revision.ShapeImplementation,
		} {
			compare(t, string(shape), shape.Members(r), s.members(s.defs[string(shape)]))
			for name := range s.members(s.defs[string(shape)]) {
				if !shape.Defines(r, name) {
					t.Errorf("%s has no %s in %s", shape, name, r)
				}
			}
		}
	})
}

func TestShapesChangeWithTheRevisions(t *testing.T) {
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
