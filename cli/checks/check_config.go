package checks

import (
	"path"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/check/probe"
	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/oauth"
)

// checkConfig reads the flags.
func (p *checkCommand) checkConfig(cmd *cobra.Command, t client.Target, f *checkFlags) (probe.Config, error) {
	none := probe.Config{}
	each := p.Flags.Protocol == "all"
	if each {
		p.Flags.Protocol = "auto"
	}
	base, err := p.Config(t, "off")
	if err != nil {
		return none, err
	}
	cfg := f.Config
	cfg.Target, cfg.Client, cfg.EachRevision, cfg.Seed, cfg.Allow = base.Target, base.Client, each, p.Flags.FaultSeed, map[string]string{}
	cfg.Call, cfg.NoCall = f.call == "all", f.call == "none"
	if cmd.Flags().Changed("timeout") {
		cfg.Timeout = p.Flags.Timeout
	}
	if f.updateBaseline && f.baseline == "" {
		return none, app.Usage("Name the file with --baseline FILE.", "--update-baseline requires --baseline")
	}
	if f.markdown && p.JSON {
		return none, app.Usage("Omit one of the flags.", "--markdown and --json cannot be used together")
	}
	if len(f.Only) == 1 && f.Only[0] == "passive" && len(f.allow)+len(f.Fuzz) > 0 {
		return none, app.Usage("Omit one of the flags.", "--only passive calls no tool, so --allow and --fuzz have no effect with it")
	}
	if f.MaxTime <= 0 {
		return none, app.Usage("Write it as 30s or 5m.", "--max-time must be greater than 0")
	}
	for flag, patterns := range map[string][]string{"--only": f.Only, "--skip": f.Skip} {
		for _, pattern := range patterns {
			if _, err := path.Match(pattern, ""); err != nil || !probe.Matches(pattern) {
				return none, unknownProbe(flag, pattern)
			}
		}
	}
	for _, a := range f.allow {
		tool, arguments, _ := strings.Cut(a, "=")
		if arguments != "" && !isObject(arguments) {
			return none, app.Usage(`Write it as --allow 'TOOL={"name":"value"}'.`, "--allow %s: the arguments are not a JSON object", tool)
		}
		cfg.Allow[tool] = arguments
	}
	if len(f.triggers) > 0 && !f.Events {
		return none, app.Usage("Add --events.", "--events-trigger has no effect without --events")
	}
	for _, t := range f.triggers {
		tool, arguments, _ := strings.Cut(t, "=")
		if arguments != "" && !isObject(arguments) {
			return none, app.Usage(`Write it as --events-trigger 'TOOL={"name":"value"}'.`, "--events-trigger %s: the arguments are not a JSON object", tool)
		}
		cfg.Triggers = append(cfg.Triggers, probe.Trigger{Tool: tool, Arguments: arguments})
	}
	for _, s := range []struct {
		flag, source string
		to           *string
	}{{"token-expired", f.expired, &cfg.Tokens.Expired}, {"token-foreign", f.foreign, &cfg.Tokens.Foreign}, {"token-lowscope", f.lowScope, &cfg.Tokens.LowScope}, {"token-second", f.second, &cfg.Tokens.Second}} {
		if *s.to, err = app.SecretFrom(p.Ctx, p.Env, s.flag, s.source); err != nil {
			return none, err
		}
	}
	if cfg.Limits, err = limitsOf(f.limits); err != nil {
		return none, err
	}
	if cfg.Pace, err = paceOf(f.pace); err != nil {
		return none, err
	}
	if base.Authorization != nil && !t.IsStdio() {
		cfg.Client.Authorization, err = p.checkAuthorization(t, *base.Authorization)
	}
	return cfg, err
}

// unknownProbe reports a pattern that selects no probe, with names that are near.
func unknownProbe(flag, pattern string) error {
	var names []string
	for _, g := range probe.Groups() {
		names = append(names, g.Name)
	}
	for _, e := range probe.Catalogue() {
		names = append(names, e.ID, e.Slug)
	}
	return app.Usage(app.Suggest(pattern, names, "mcptea explain probes lists them."), "%s %s: no probe has this id, name or group", flag, pattern)
}

// checkAuthorization obtains a token in a separate session, so that the probes find one in the store.
func (p *checkCommand) checkAuthorization(t client.Target, cfg oauth.Config) (*oauth.Authorizer, error) {
	s, err := p.Connect(t)
	if err != nil {
		return nil, err
	}
	if shared := s.Config().Authorization; shared != nil {
		cfg = *shared
	}
	p.CloseSession(s)
	cfg.Server = t.URL
	return oauth.New(cfg)
}
