package changes

import (
	"cmp"
	"maps"

	"mcptea/client/jsonrpc"
	"mcptea/offer/diff"
)

// maxMoved bounds the remembered former names of the properties of one entry. It is also the number compared in
// one version of a schema. Pins and saved arguments with other names are not updated.
const maxMoved = 100

// RenamedProperties maps the old names of renamed properties in an entry's input schema to their new names. See
// [diff.RenamedProperties]. Forms, pins and saved arguments that were filled in for the older version follow
// it.
func RenamedProperties(old, now []byte) map[string]string {
	return diff.RenamedProperties(jsonrpc.Get(old, "inputSchema"), jsonrpc.Get(now, "inputSchema"))
}

// Properties maps every former name of an entry's properties to the current name, since the list was first
// fetched. Renamed entries and changes marked as seen are included. The entry has no property with a former
// name. The map must not be changed.
func (s *Snapshot) Properties(list, key string) map[string]string {
	if s == nil {
		return nil
	}
	return s.moved[list][key]
}

// follow updates the former names of properties by the step from an earlier state of the list to the current
// one.
func (l *list) follow(step []difference, before map[string][]byte) {
	moved := l.moved
	if l.moved = maps.Clone(moved); l.moved == nil {
		l.moved = make(map[string]map[string]string)
	}
	for _, d := range step {
		delete(l.moved, d.key)
		delete(l.moved, d.before)
	}
	for _, d := range step {
		if d.kind == diff.Changed {
			was := cmp.Or(d.before, d.key)
			l.move(d.key, moved[was], RenamedProperties(before[was], l.now[d.key]))
		}
	}
}

// move applies a renaming to the former names of an entry's properties, and adds it to them.
func (l *list) move(key string, earlier, renamed map[string]string) {
	has := func(name string) bool {
		_, ok := jsonrpc.Member(jsonrpc.Get(jsonrpc.Get(l.now[key], "inputSchema"), "properties"), name)
		return ok
	}
	moved := make(map[string]string)
	add := func(old, now string) {
		if len(moved) < maxMoved && has(now) && !has(old) {
			moved[old] = now
		}
	}
	for old, now := range renamed {
		add(old, now)
	}
	for old, now := range earlier {
		add(old, cmp.Or(renamed[now], now))
	}
	if delete(l.moved, key); len(moved) > 0 {
		l.moved[key] = moved
	}
}
