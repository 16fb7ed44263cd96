package jsonrpc

// RenameMembers returns an object with renamed members; names maps old names to new ones. All other
// bytes stay unchanged. A member keeps its name if the object already has a member with the new
// name. If the object is invalid from some place on, that part stays unchanged. If nothing changes,
// it returns the object itself.
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
