package diff

import "mcptea/client/jsonrpc"

// The functions of this file read valid JSON.

// child is a member of an object or an element of an array.
type child struct {
	name  string // decoded name of a member
	value []byte
	index int
	id    string // identifies an element; see identityOf
	sum   uint64 // hash of the meaning; see pairSequence
}

// maxElements is the maximum number of elements of an array that are matched.
const maxElements = 1 << 18

// children returns the members or elements of a container. Of members with the same
// name all are returned. ok is false for an array with more than [maxElements].
func children(container []byte) (all []child, ok bool) {
	for name, value := range jsonrpc.Members(container) {
		all = append(all, child{index: len(all), name: string(name), value: value})
	}
	for value := range jsonrpc.Elements(container) {
		if len(all) == maxElements {
			return nil, false
		}
		all = append(all, child{index: len(all), value: value})
	}
	return all, true
}
