package export

import (
	"errors"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/declare"
	"mcptea/session/export/tooltypes"
)

func (s *session) writeTypesTypeScript() error { return s.writeTypes(tooltypes.TypeScript) }

func (s *session) writeTypesGo() error { return s.writeTypes(tooltypes.Go) }

func (s *session) writeTypesPython() error { return s.writeTypes(tooltypes.Python) }

// writeTypes writes the types of the tools of the newest list.
func (s *session) writeTypes(l tooltypes.Language) error {
	o := declare.Offered{Lists: map[string][][]byte{}}
	for call, err := range s.calls() {
		if err != nil {
			return err
		}
		if call.Result != nil {
			takeOffer(&o, call)
		}
	}
	tools := toolsOf(o.Lists[client.Tools.Name])
	if len(tools) == 0 {
		return errors.New("the recording has no list of tools")
	}
	loose, err := tooltypes.Write(s.out, l, serverName(o), tools)
	if loose > 0 {
		s.report("%d types of the schemas cannot be expressed in "+l.Name+": they are of any type in the file", loose)
	}
	return err
}

// serverName returns the name of the server, or a substitute.
func serverName(o declare.Offered) string {
	if name := jsonrpc.Text(o.Info, "name"); name != "" {
		return name
	}
	return "a server"
}

func toolsOf(entries [][]byte) (tools []tooltypes.Tool) {
	for _, e := range entries {
		if name := jsonrpc.Text(e, "name"); name != "" {
			tools = append(tools, tooltypes.Tool{Name: name, Description: jsonrpc.Text(e, "description"), Input: jsonrpc.Get(e, "inputSchema"), Output: jsonrpc.Get(e, "outputSchema")})
		}
	}
	return tools
}
