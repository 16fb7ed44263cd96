package diff

import (
	"bytes"

	"mcptea/client/jsonrpc"
)

// identities lists the members that can identify an element. They are tried in this order.
var identities = [...]string{"uriTemplate", "uri", "name", "id", "taskId", "type"}

// identify returns the member that identifies the elements of two arrays, or "". All elements must
// be objects with a string in that member, and the string must be unique in its array. byID maps
// identities to indexes of the old elements. aligned reports whether elements at the same index
// have the same identity.
func identify(old, now []child) (key string, byID map[string]int, aligned bool) {
	if len(old) == 0 || len(now) == 0 {
		return "", nil, false
	}
	for _, key := range identities {
		byID, ok := indexBy(old, key)
		if !ok {
			continue
		}
		if isAligned(old, now, key) {
			return key, byID, true
		}
		if _, ok := indexBy(now, key); ok {
			return key, byID, false
		}
	}
	clearIDs(old)
	clearIDs(now)
	return "", nil, false
}

func clearIDs(elements []child) {
	for i := range elements {
		elements[i].id = ""
	}
}

// indexBy sets the identities of elements. ok is false if one has none, or two have the same.
func indexBy(elements []child, key string) (byID map[string]int, ok bool) {
	if identityOf(elements[0].value, key) == "" {
		return nil, false
	}
	byID = make(map[string]int, len(elements))
	for i := range elements {
		id := identityOf(elements[i].value, key)
		if id == "" {
			return nil, false
		}
		elements[i].id = id
		if byID[id] = i; len(byID) != i+1 {
			return nil, false
		}
	}
	return byID, true
}

// isAligned sets the identities of the new elements if they equal the old elements in the same order, and
// reports whether they do.
func isAligned(old, now []child, key string) bool {
	if len(old) != len(now) {
		return false
	}
	for i := range now {
		if identityOf(now[i].value, key) != old[i].id {
			return false
		}
		now[i].id = old[i].id
	}
	return true
}

// identityOf returns the string that identifies an element, or "".
func identityOf(element []byte, key string) string {
	for name, value := range jsonrpc.Members(element) {
		if string(name) == key && value[0] == '"' {
			id, _ := jsonrpc.Unquote(value)
			return id
		}
	}
	return ""
}

// pairElements matches the elements of two arrays.
func pairElements(old, now []child) []paired {
	key, byID, aligned := identify(old, now)
	if key == "" {
		return pairSequence(old, now)
	}
	match := make([]int, len(now))
	for i := range now {
		match[i] = -1
		if aligned {
			match[i] = i
		} else if m, ok := byID[now[i].id]; ok {
			match[i] = m
		}
	}
	if key == "type" { // type matches blocks of content, but does not identify an element
		clearIDs(old)
		clearIDs(now)
	}
	return merge(old, now, match)
}

// maxTable bounds the table of a longest common subsequence, in cells.
const maxTable = 4 << 20

// fitsTable reports whether the elements of two arrays are compared with a table.
func fitsTable(old, now int) bool { return now == 0 || old <= maxTable/now }

// pairSequence matches elements like a diff of lines: by a longest common subsequence of equal elements, or an
// approximation for very long arrays. Elements left between two matches are paired in order if their types
// agree.
func pairSequence(old, now []child) []paired {
	start := 0
	for start < len(old) && start < len(now) && bytes.Equal(old[start].value, now[start].value) {
		start++
	}
	endOld, endNew := len(old), len(now)
	for endOld > start && endNew > start && bytes.Equal(old[endOld-1].value, now[endNew-1].value) {
		endOld--
		endNew--
	}
	setSums(old[start:endOld])
	setSums(now[start:endNew])
	match := make([]int, len(now))
	for k := range match {
		switch {
		case k < start:
			match[k] = k
		case k < endNew:
			match[k] = -1
		default:
			match[k] = k - endNew + endOld
		}
	}
	common := commonUnique
	if fitsTable(endOld-start, endNew-start) {
		common = commonTable
	}
	common(old[start:endOld], now[start:endNew], func(i, k int) { match[start+k] = start + i })
	pairGaps(old, now, match)
	return merge(old, now, match)
}

func setSums(elements []child) {
	for i := range elements {
		elements[i].sum = jsonrpc.Sum(elements[i].value)
	}
}

// commonTable finds a longest common subsequence.
func commonTable(old, now []child, found func(i, k int)) {
	n, m := len(old), len(now)
	if n == 0 || m == 0 {
		return
	}
	length := make([]uint32, (n+1)*(m+1))
	for i := n - 1; i >= 0; i-- {
		for k := m - 1; k >= 0; k-- {
			at := i*(m+1) + k
			if old[i].sum == now[k].sum {
				length[at] = length[at+m+2] + 1
			} else {
				length[at] = max(length[at+m+1], length[at+1])
			}
		}
	}
	for i, k := 0, 0; i < n && k < m; {
		at := i*(m+1) + k
		switch {
		case old[i].sum == now[k].sum:
			found(i, k)
			i++
			k++
		case length[at+m+1] >= length[at+1]:
			i++
		default:
			k++
		}
	}
}

// commonUnique finds a common subsequence in linear time: it takes each equal
// element that is near the front of both sides.
func commonUnique(old, now []child, found func(i, k int)) {
	places := make(map[uint64][]int32, len(old))
	for i := range old {
		places[old[i].sum] = append(places[old[i].sum], int32(i))
	}
	next := 0
	for k := range now {
		list := places[now[k].sum]
		for len(list) > 0 && int(list[0]) < next {
			list = list[1:]
		}
		places[now[k].sum] = list
		// One far away would leave all between without a partner.
		if len(list) > 0 && int(list[0])-next <= max(len(old)/8, 64) {
			found(int(list[0]), k)
			next = int(list[0]) + 1
		}
	}
}

// pairGaps pairs the elements between two matches in order.
func pairGaps(old, now []child, match []int) {
	next := 0
	for k := 0; k < len(now); {
		if match[k] >= 0 {
			next = match[k] + 1
			k++
			continue
		}
		end := k
		for end < len(now) && match[end] < 0 {
			end++
		}
		limit := len(old)
		if end < len(now) {
			limit = match[end]
		}
		for ; k < end && next < limit; next++ {
			if old[next].value[0] == now[k].value[0] || end-k >= limit-next {
				match[k] = next
				k++
			}
		}
		k = end
	}
}
