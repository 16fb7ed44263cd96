package settings

import (
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"mcptea/internal/shell"
)

// TargetFlags are the flags about the target, the protocol and authorization, which a
// command that is copied from the inspector repeats; --url is part of the target.
var TargetFlags = map[string]shell.Flag{
	"yes":                 {Bool: true},
	"transport":           {Public: true},
	"header":              {},
	"env":                 {},
	"env-file":            {Public: true},
	"clean-env":           {Bool: true},
	"kill-left":           {Bool: true},
	"cwd":                 {Public: true},
	"protocol":            {Public: true},
	"lenient":             {Bool: true},
	"no-apps":             {Bool: true},
	"no-skills":           {Bool: true},
	"as-client":           {Public: true},
	"client-info":         {Public: true},
	"client-capabilities": {Public: true},
	"timeout":             {Public: true},
	"connect-timeout":     {Public: true},
	"root":                {Public: true},
	"cacert":              {Public: true},
	"cert":                {Public: true},
	"key":                 {Public: true},
	"insecure":            {Bool: true},
	"tls-server-name":     {Public: true},
	"token":               {Variable: TokenVariable},
	"client-id":           {Public: true},
	"callback-url":        {Public: true},
	"callback-port":       {Public: true},
	"client-secret":       {Variable: SecretVariable},
	"client-key":          {Public: true},
	"client-key-id":       {Public: true},
	"client-key-cert":     {Public: true},
	"client-key-alg":      {Public: true},
	"client-metadata":     {},
	"scope":               {Public: true},
	"issuer":              {},
	"grant":               {Public: true},
	"assertion":           {Public: true},
	"id-token":            {Public: true},
	"idp-token-endpoint":  {},
	"idp-client-id":       {Public: true},
	"token-store":         {Public: true},
	"open-browser":        {Bool: true},
	"auth-timeout":        {Public: true},
}

// OtherFlags lists the flags that a copied command does not repeat.
var OtherFlags = []string{"attach", "url", "server", "input", "relogin", "register", "answer", "sampler", "fault", "seed", "watch", "build", "mute", "no-heuristics", "trace", "record", "record-limit", "pins", "filter", "config", "theme", "mouse", "ascii", "json", "help", "version"}

// RunFlags lists the flags of [OtherFlags] that change what a session starts, sends or shows. A
// session is reopened with them, but a copied command does not contain them.
var RunFlags = map[string]shell.Flag{
	"watch":         {Joined: true, Public: true},
	"build":         {},
	"input":         {},
	"answer":        {},
	"sampler":       {},
	"register":      {Bool: true},
	"fault":         {Public: true},
	"seed":          {Public: true},
	"mute":          {Public: true},
	"no-heuristics": {Bool: true},
	"record-limit":  {Public: true},
	"pins":          {Public: true},
	"filter":        {Public: true},
	"config":        {Public: true},
}

// Unrepeated maps flags to what happens instead when a session is reopened without them. These are
// flags of [OtherFlags] that had changed the behavior of the session.
var Unrepeated = map[string]string{
	"record":  "it is recorded in a file of its own",
	"relogin": "the stored token is used",
}

// filesOfTLS are the flags with files that a command finds wherever it is repeated.
var filesOfTLS = []string{"cacert", "cert", "key"}

// GivenTargetFlags returns the target flags of the command line, in the order of the
// help.
func GivenTargetFlags(set *pflag.FlagSet) []shell.Flag { return given(set, TargetFlags) }

// given returns the flags of a command line that a table has, in the order of the help.
func given(set *pflag.FlagSet, table map[string]shell.Flag) (flags []shell.Flag) {
	set.VisitAll(func(f *pflag.Flag) {
		kind, ok := table[f.Name]
		if !ok || !f.Changed {
			return
		}
		kind.Name, kind.Bare = f.Name, f.NoOptDefVal
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if path, err := filepath.Abs(v); err == nil && v != "" && slices.Contains(filesOfTLS, f.Name) {
				v = path
			}
			kind.Value = v
			flags = append(flags, kind)
		}
	})
	return flags
}

// Repeated returns the flags for reopening the session of the command line: the flags of the target, except the
// answer to its question, and [RunFlags]. left names the given flags of [Unrepeated], in the order of the help.
func (p *Settings) Repeated() (flags []shell.Flag, left []string) {
	flags = slices.DeleteFunc(slices.Clone(p.TargetFlags), func(f shell.Flag) bool { return f.Name == "yes" })
	if p.set == nil {
		return flags, nil
	}
	p.set.VisitAll(func(f *pflag.Flag) {
		if _, ok := Unrepeated[f.Name]; ok && f.Changed {
			left = append(left, f.Name)
		}
	})
	return append(flags, given(p.set, RunFlags)...), left
}
