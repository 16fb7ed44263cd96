package probes

import (
	"strings"

	"mcptea/check/probe"
	"mcptea/internal/schema"
	"mcptea/lint"
)

func secretEcho(r *probe.Run) {
	if frames := r.CanaryFrames(); len(frames) > 0 {
		r.Shown(frames[0]).About(lint.Warn, "", "The server sends the value of an environment variable, MCPTEA_CANARY, to the client: what a client sees, a model sees.")
	}
}

// payloads holds texts that have no effect, but change if a shell or a template language evaluates them.
var payloads = []string{"mcptea$(printf probe)", "mcptea`printf probe`", "mcptea;printf mcptea''probe", "mcptea{{7*191}}", "mcptea${7*191}"}

// maxProperties bounds the properties that receive payloads.
const maxProperties = 5

func argumentEvaluation(r *probe.Run) {
	c, tried := r.Shared(), 0
	for _, s := range r.Callables() {
		for _, f := range s.Form.Fields {
			if f.Kind != schema.String || f.Format != "" {
				continue
			}
			if tried++; tried > maxProperties {
				return
			}
			for _, p := range payloads {
				o, ok := r.Call(c, s.Name+" with "+f.Name+" = "+p, s.Name, parse(s.Arguments).with(f.Name, probe.JSON(p)).encode())
				if !ok {
					break
				}
				output := strings.ReplaceAll(string(o.Frame), p, "")
				if strings.Contains(output, "mcpteaprobe") || strings.Contains(output, "mcptea1337") {
					r.Of(o).About(lint.Error, "tool:"+s.Name, "The tool %s evaluates its argument %s: %q was executed.", s.Name, f.Name, p)
				}
			}
		}
	}
	r.SkipIf(tried == 0, "no callable tool with string arguments")
}
