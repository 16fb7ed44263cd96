package use

import (
	"fmt"
	"strings"

	"mcptea/client/revision"
	"mcptea/ui/paint"
)

// printCapabilities prints the declared capabilities of one side, and marks what the
// revision does not define.
func (p *commands) printCapabilities(head string, who revision.Sender, caps []byte, r revision.Revision) error {
	if err := p.Out.Line("\n" + p.Out.Strong(head)); err != nil {
		return err
	}
	none := true
	for _, o := range revision.Offers(who, caps, r) {
		if o.Value == nil {
			continue
		}
		none = false
		var members []string
		for _, f := range o.Members {
			if f.Set {
				members = append(members, f.Name)
			}
		}
		line := "  " + p.Out.Name(fmt.Sprintf("%-13s", paint.Sanitize(o.Name))) + fmt.Sprintf(" %-24s ", o.Summary)
		line += paint.Sanitize(strings.Join(members, ", "))
		if undefined := o.Undefined(); len(undefined) > 0 {
			line = strings.TrimRight(line, " ") + "  " + p.Out.Warn("! not in "+string(r)+": "+paint.Sanitize(strings.Join(undefined, ", ")))
		}
		if err := p.Out.Line(strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	if none {
		return p.Out.Line("  none")
	}
	return nil
}
