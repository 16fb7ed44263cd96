package state

import (
	"encoding/json"
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
)

// The bounds of saved responses.
const (
	maxSaved     = 200
	maxResult    = 256 << 10 // bytes of one result
	maxResponses = 8 << 20
)

// Saved is a result under a name.
type Saved struct {
	Method string          `json:"method"`
	Name   string          `json:"name"`
	Result json.RawMessage `json:"result"` // an object
}

// Responses is the file with results that the user sends repeatedly to requests of servers, by
// method and name.
type Responses struct{ file }

// NewResponses returns the list with a path.
func NewResponses(path string) *Responses {
	return &Responses{file{path, maxResponses, "cannot read the saved response", "cannot save the response"}}
}

// NewArguments returns a list of arguments that the user sends repeatedly to tools. A result is an
// object of arguments.
func NewArguments(path string) *Responses {
	return &Responses{file{path, maxResponses, "cannot read the saved arguments", "cannot save the arguments"}}
}

// Load returns the saved results of a method in the order in which they were saved, or of all
// methods if it is "". It skips lines that cannot be read. A file that does not exist is empty.
func (r *Responses) Load(method string) ([]Saved, error) {
	text, err := r.read()
	return entries(text, func(s *Saved) bool { return isSaved(s) && (method == "" || s.Method == method) }), err
}

func isSaved(s *Saved) bool { return s.Name != "" && len(s.Result) > 0 && s.Result[0] == '{' }

// Save adds a result, and replaces a result with the same method and name.
func (r *Responses) Save(s Saved) error {
	if len(s.Result) > maxResult {
		return fmt.Errorf("%s: more than %d kB", r.keeps, maxResult>>10)
	}
	return r.replace(s.Method, s.Name, s)
}

// Delete removes a result by its method and name.
func (r *Responses) Delete(method, name string) error { return r.replace(method, name) }

// Rename moves the results of one method to another, except results whose names the other one has, renames
// their members, and returns their number.
func (r *Responses) Rename(old, now string, members map[string]string) (n int, err error) {
	err = r.update(func(text []byte) ([]byte, error) {
		all := entries(text, isSaved)
		for i := range all {
			taken := slices.ContainsFunc(all, func(o Saved) bool { return o.Method == now && o.Name == all[i].Name })
			if all[i].Method == old && !taken {
				all[i].Method = now
				all[i].Result = jsonrpc.RenameMembers(all[i].Result, members)
				n++
			}
		}
		return lines(all)
	})
	return n, err
}

// lines returns results in the form of the file.
func lines(all []Saved) (text []byte, err error) {
	for _, s := range all {
		line, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		text = append(append(text, line...), '\n')
	}
	return text, nil
}

// replace puts results at the end, and removes a result with the same method and name.
func (r *Responses) replace(method, name string, by ...Saved) error {
	return r.update(func(text []byte) ([]byte, error) {
		all := slices.DeleteFunc(entries(text, isSaved), func(o Saved) bool { return o.Method == method && o.Name == name })
		if len(by) > 0 && len(all) >= maxSaved {
			return nil, fmt.Errorf("%d are saved already; delete one", len(all))
		}
		return lines(append(all, by...))
	})
}
