package directory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
)

// submissionSchema is the schema of chatgpt-app-submission.json.
const submissionSchema = "https://developers.openai.com/apps-sdk/schemas/chatgpt-app-submission.v1.json"

// A submittedTool is a tool of a submission. Its hints are those sent: undeclared ones are absent, and the user
// writes the justifications.
type submittedTool struct {
	Annotations    map[string]bool `json:"annotations"`
	Justifications struct {
		ReadOnly    string `json:"read_only_justification"`
		OpenWorld   string `json:"open_world_justification"`
		Destructive string `json:"destructive_justification"`
	} `json:"justifications"`
}

// WriteSubmission writes the file chatgpt-app-submission.json from a server's definitions, with its tools in
// the order of the list. It returns an error if the list is incomplete.
func WriteSubmission(w io.Writer, s *probe.Server) error {
	if list := s.Lists["tools"]; list != nil && list.Problem != "" {
		return fmt.Errorf("the list of tools is incomplete: %s", list.Problem)
	}
	schema, err := json.Marshal(submissionSchema)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"$schema":%s,"schema_version":1,"tools":{`, schema)
	written := map[string]bool{}
	for _, t := range s.Tools {
		if written[t.Name] {
			continue // a name has only one member
		}
		if len(written) > 0 {
			b.WriteByte(',')
		}
		written[t.Name] = true
		one := submittedTool{Annotations: map[string]bool{}}
		for _, name := range hintNames {
			if value, declared := hint(t, name); declared {
				one.Annotations[name] = value
			}
		}
		name, err := json.Marshal(t.Name)
		if err != nil {
			return err
		}
		tool, err := json.Marshal(one)
		if err != nil {
			return err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(tool)
	}
	b.WriteString("}}")
	_, err = io.WriteString(w, jsonrpc.Indented(b.Bytes())+"\n")
	return err
}
