package card

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client/revision"
)

// maxUses bounds how many objects with a member a card lists.
const maxUses = 12

// findMember finds a member of the messages of MCP, a value that a member may have, or an object, by the schemas of all
// protocol versions. The sentences about frequent members are terms.
func findMember(word string, w Where) (Card, bool) {
	word = strings.TrimPrefix(strings.TrimPrefix(word, "."), "params.")
	if dotted := strings.LastIndexByte(word, '.'); dotted > 0 && len(revision.UsesOf(word)) == 0 {
		word = word[dotted+1:]
	}
	for _, name := range spellings(word) {
		if c, ok := memberCard(name, w); ok {
			return c, true
		}
		if c, ok := shapeCard(name, w); ok {
			return c, true
		}
		if c, ok := valueCard(name, w); ok {
			return c, true
		}
	}
	return Card{}, false
}

// spellings returns a word, and the member or the object that has the same letters in another case.
func spellings(word string) []string {
	found := []string{word}
	for _, name := range revision.AllMembers() {
		if sameName(name, word) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	for _, s := range revision.AllShapes() {
		if strings.EqualFold(string(s), word) && !slices.Contains(found, string(s)) {
			found = append(found, string(s))
		}
	}
	return found
}

// memberCard returns the card of a member.
func memberCard(name string, w Where) (c Card, ok bool) {
	uses := usesIn(revision.UsesOf(name), w.Revision)
	if len(uses) == 0 {
		return c, false
	}
	c = termOf(Member, name).Card
	c.Kind, c.Key, c.Title = Member, name, "member of "+objectWords(uses)
	if len(c.What) == 0 {
		c.What = []string{"A member of the messages of MCP."}
	}
	c.Facts = nil
	c.addUses(uses)
	c.See = append(slices.Clone(c.See), rulesAbout(name)...)
	return c, true
}

// valueCard returns the card of a string that a member may have.
func valueCard(value string, w Where) (c Card, ok bool) {
	uses := usesIn(revision.UsesOfValue(value), w.Revision)
	if len(uses) == 0 {
		return c, false
	}
	first := uses[0].Member.Name
	c = termOf(Member, value).Card
	c.Kind, c.Key, c.Title = Member, value, "value of "+first
	if len(c.What) == 0 {
		c.What = []string{fmt.Sprintf("One of the values of %s.", first)}
	}
	c.Facts = nil
	c.addUses(uses)
	c.See = append(slices.Clone(c.See), rulesAbout(value)...)
	return c, true
}

// shapeCard returns the card of an object of the official schemas.
func shapeCard(name string, w Where) (c Card, ok bool) {
	s := revision.Shape(name)
	members := s.Members(w.Revision)
	if len(members) == 0 {
		return c, false
	}
	c = Card{Kind: Member, Key: name, Title: "object", What: []string{"An object of the messages of MCP."}}
	for _, m := range members {
		c.fact(m.Name, typeWords(m))
	}
	var in []string
	for _, u := range revision.UsesOfType(s) {
		if text := string(u.Shape) + "." + u.Member.Name; !slices.Contains(in, text) {
			in = append(in, text)
		}
	}
	c.fact("used as", strings.Join(in[:min(len(in), maxUses)], ", "))
	return c, true
}

// usesIn returns the uses of a protocol version, or all of them if it is unknown.
func usesIn(all []revision.Use, r revision.Revision) []revision.Use {
	return slices.DeleteFunc(all, func(u revision.Use) bool { return r.Known() && !slices.Contains(u.Versions, r) })
}

// addUses adds a fact for each object that has the member.
func (c *Card) addUses(uses []revision.Use) {
	for i, u := range uses {
		if i == maxUses {
			c.fact("in", fmt.Sprintf("%d other objects", len(uses)-maxUses))
			return
		}
		in := ""
		if len(u.Versions) < len(revision.All()) {
			in = " (" + revision.Words(u.Versions) + ")"
		}
		c.fact("in", fmt.Sprintf("%s: %s%s", u.Shape, typeWords(u.Member), in))
	}
}

// objectWords names the objects of uses: at most two.
func objectWords(uses []revision.Use) string {
	var names []string
	for _, u := range uses {
		if !slices.Contains(names, string(u.Shape)) {
			names = append(names, string(u.Shape))
		}
	}
	if len(names) > 2 {
		return fmt.Sprintf("%s, %s and %d others", names[0], names[1], len(names)-2)
	}
	return strings.Join(names, " and ")
}

// typeWords returns the type of a member in words.
func typeWords(m revision.Member) string {
	text := strings.NewReplacer("|", " or ", "[", "list of ", "]", "", "{", "object with values of ", "}", "").Replace(m.Type)
	text = strings.NewReplacer(":0..1", " from 0 to 1", ":0..", " of at least 0", ":1..", " of at least 1").Replace(text)
	if m.Required {
		return text + ", required"
	}
	return text
}

// maxRules bounds how many rules a card of a member names.
const maxRules = 8

// rulesAbout returns the ids of the rules whose condition names a word in quotation marks.
func rulesAbout(word string) (ids []string) {
	for _, e := range findings() {
		if len(ids) < maxRules && (strings.Contains(e.Condition, "`"+word+"`") || strings.Contains(e.Message, `"`+word+`"`)) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}
