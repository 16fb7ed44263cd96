package settings

import (
	"slices"
	"strings"

	"mcptea/client/hosts"
)

// Sent returns the credentials of the user that are sent to the URL of an entry in addition to the entry's own:
// the credentials of the flags and the environment, by name and without values.
func (p *Settings) Sent(s *hosts.Server) (all []string) {
	if s.Transport == hosts.Stdio {
		return nil
	}
	f := &p.Flags
	authorized := s.BearerEnv != ""
	for _, of := range [][]hosts.Field{s.Written.Headers, s.HeaderEnv} {
		authorized = authorized || slices.ContainsFunc(of, func(h hosts.Field) bool { return strings.EqualFold(h.Name, "Authorization") })
	}
	for _, h := range f.Headers {
		name, value, _ := strings.Cut(h, ":")
		authorized = authorized || strings.EqualFold(name, "Authorization")
		if strings.TrimSpace(value) != "" {
			all = append(all, "the header "+name+" of -H")
		}
	}
	env := !f.Auth.elsewhere
	switch {
	case authorized:
	case f.Auth.Token != "":
		all = append(all, "Authorization: Bearer, the token of --token")
	case env && p.Env.Get(TokenVariable) != "":
		all = append(all, "Authorization: Bearer $"+TokenVariable)
	}
	switch {
	case f.TLS.cert == "":
	case p.Origins["cert"].Kind == fromFlag:
		all = append(all, "the client certificate of --cert")
	default:
		all = append(all, "the client certificate of $"+certVariable)
	}
	switch {
	case f.Auth.clientID == "" || authorized:
	case f.Auth.keyFile != "":
		all = append(all, "assertions of the OAuth client, signed with --client-key, to the authorization server that it names")
	case f.Auth.Secret != "":
		all = append(all, "the secret of --client-secret, to the authorization server that it names")
	case env && p.Env.Get(SecretVariable) != "":
		all = append(all, "$"+SecretVariable+", to the authorization server that it names")
	}
	return all
}
