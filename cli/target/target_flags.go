package target

import (
	"github.com/spf13/pflag"

	"mcptea/session/shell"
)

// TargetFlags are the flags about the target, the protocol and authorization, which a
// command that is copied from the inspector repeats; --url is part of the target.
var TargetFlags = map[string]shell.Flag{
	"transport":          {Public: true},
	"header":             {},
	"env":                {},
	"env-file":           {Public: true},
	"clean-env":          {Bool: true},
	"cwd":                {Public: true},
	"protocol":           {Public: true},
	"lenient":            {Bool: true},
	"timeout":            {Public: true},
	"connect-timeout":    {Public: true},
	"root":               {Public: true},
	"token":              {Variable: TokenVariable},
	"client-id":          {Public: true},
	"client-secret":      {Variable: SecretVariable},
	"client-key":         {Public: true},
	"client-metadata":    {},
	"scope":              {Public: true},
	"issuer":             {},
	"grant":              {Public: true},
	"assertion":          {Public: true},
	"id-token":           {Public: true},
	"idp-token-endpoint": {},
	"idp-client-id":      {Public: true},
	"token-store":        {Public: true},
	"open-browser":       {Bool: true},
	"auth-timeout":       {Public: true},
}

// OtherFlags are those that a copied command does not repeat.
var OtherFlags = []string{"url", "server", "answer", "sampler", "fault", "fault-seed", "watch", "build", "mute", "no-heuristics", "record", "record-limit", "pins", "config", "theme", "mouse", "ascii", "json", "help", "version"}

// GivenTargetFlags returns the target flags of the command line, in the order of the
// help.
func GivenTargetFlags(set *pflag.FlagSet) []shell.Flag {
	var given []shell.Flag
	set.VisitAll(func(f *pflag.Flag) {
		kind, ok := TargetFlags[f.Name]
		if !ok || !f.Changed {
			return
		}
		kind.Name = f.Name
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			kind.Value = v
			given = append(given, kind)
		}
	})
	return given
}
