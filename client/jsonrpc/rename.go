package jsonrpc

// RenameMembers returns an object in which members have other names, by their old ones; all other bytes stay
// unchanged. A member stays where the object has one of its new name already. What is not an object, or is invalid
// from some place on, stays from there. Nothing changed returns the object itself.
func RenameMembers(object []byte, names map[string]string) []byte {
	taken := make(map[string]bool)
	if len(names) > 0 {
		for name := range Members(object) {
			taken[string(name)] = true
		}
	}
	var out []byte
	written := 0
	c := cursor{b: object}
	opens := byte('{')
	for c.space(); c.i < len(object) && object[c.i] == opens; c.space() {
		c.i++
		opens = ','
		c.space()
		start := c.i
		name, ok := c.memberName()
		if !ok {
			break
		}
		end, _ := StringEnd(object, start)
		if !c.value() {
			break
		}
		if now, is := names[string(name)]; is && !taken[now] {
			taken[now] = true
			out = append(append(out, object[written:start]...), Quote(now)...)
			written = end
		}
	}
	if out == nil {
		return object
	}
	return append(out, object[written:]...)
}
