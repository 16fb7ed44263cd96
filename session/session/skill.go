package session

import (
	"fmt"
	"strings"

	"mcptea/session/offer/skill"
)

// VerifySkill compares a file of a skill, a result of resources/read, with the entry of the skill, and
// notes the verdict in the record. The content is nil unless the verdict permits to use it.
func (s *Session) VerifySkill(e *skill.Entry, uri string, result []byte) (content []byte, v skill.Verdict) {
	content, v = e.VerifyResult(uri, result)
	text := fmt.Sprintf("skill %s: %s %s", e.URI, e.Relative(uri), v.State)
	for i, f := range v.Failures {
		text += fmt.Sprintf("%s %s is %s, expected %s", [...]string{":", ";"}[min(i, 1)], strings.TrimSpace(f.What+" "+f.Field), f.Found, f.Expected)
	}
	if s.recorded == nil {
		s.store.Note(text)
	}
	if v.State == skill.Differs {
		content = nil
	}
	return content, v
}
