package session

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/offer/skill"
)

// VerifySkill compares a file of a skill, a result of resources/read, with the entry of the skill, and
// notes the verdict in the record, once. The content is nil unless the verdict permits to use it.
func (s *Session) VerifySkill(e *skill.Entry, uri string, result []byte) (content []byte, v skill.Verdict) {
	content, v = e.VerifyResult(uri, result)
	text := fmt.Sprintf("skill file %s %s", uri, v.State)
	for i, f := range v.Failures {
		text += fmt.Sprintf("%s %s is %s, expected %s", [...]string{":", ";"}[min(i, 1)], strings.TrimSpace(f.What+" "+f.Field), f.Found, f.Expected)
	}
	s.mu.Lock()
	isKnown := slices.Contains(s.verdicts, text)
	if !isKnown {
		s.verdicts = append(s.verdicts[max(0, len(s.verdicts)-maxNotes+1):], text)
	}
	s.mu.Unlock()
	switch {
	case s.recorded != nil || isKnown:
	case v.State == skill.Verified:
		s.store.Inform(text)
	default:
		s.store.Note(text)
	}
	if v.State == skill.Differs {
		content = nil
	}
	return content, v
}
