package recordings

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client/secret"
	"mcptea/record"
	"mcptea/session/export"
	"mcptea/session/export/otlp"
	"mcptea/session/tap/pipeline"
)

// otlp is a target of export in addition to the formats.
const (
	otlpName  = "otlp"
	otlpTitle = "spans, sent to an OpenTelemetry collector"
)

const (
	// otlpFlush bounds how long the end of an export waits for the collector.
	otlpFlush = 10 * time.Second
	// otlpTapFlush bounds how long the end of a tap waits for the collector.
	otlpTapFlush = 2 * time.Second
)

// otlpFlags holds the flags of a tap that sends spans.
type otlpFlags struct{ enabled, payloads bool }

func (f *otlpFlags) declare(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupRecording, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.enabled, "otlp", false, "send spans to the OpenTelemetry collector at OTEL_EXPORTER_OTLP_ENDPOINT")
		declarePayloads(fs, &f.payloads, "--otlp")
	})
}

// declarePayloads declares --otlp-payloads, which counts with another flag.
func declarePayloads(fs *pflag.FlagSet, value *bool, with string) {
	fs.BoolVar(value, "otlp-payloads", false, "with "+with+": also send the arguments and results of tools")
}

// otlpObserver connects a tap to the collector; observe is nil without --otlp. flush sends the remaining spans,
// once. secrets are redacted in them.
func (p *tapCommand) otlpObserver(f otlpFlags, secrets *secret.Values) (observe pipeline.Observe, flush func(), err error) {
	if !f.enabled {
		if f.payloads {
			return nil, nil, app.Usage("Add --otlp.", "--otlp-payloads requires --otlp")
		}
		return nil, func() {}, nil
	}
	sender, err := otlpSender(p.App, otlp.Options{Payloads: f.payloads, Secrets: secrets, Report: p.warnTap})
	if err != nil {
		return nil, nil, err
	}
	flush = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(p.Ctx), otlpTapFlush)
		defer cancel()
		if t := sender.Close(ctx); t.Failed+t.Dropped > 0 {
			p.warnTap(fmt.Sprintf("the collector accepted %d of %d spans", t.Sent, t.Sent+t.Failed+t.Dropped))
		}
	})
	return func(h record.Header) pipeline.Observer { return sender.Session(h) }, flush, nil
}

// otlpSender connects to the collector.
func otlpSender(a *app.App, o otlp.Options) (*otlp.Sender, error) {
	o.Version = a.Version.Version
	sender, err := otlp.New(a.Ctx, o)
	if err != nil {
		return nil, app.Usage("It reads the variables of the OpenTelemetry exporters: OTEL_EXPORTER_OTLP_ENDPOINT, …_PROTOCOL, …_HEADERS.", "%v", err)
	}
	return sender, nil
}

// sendExport sends a recording to the collector.
func (p *exportCommand) sendExport(src export.Source, options export.Options, f exportFlags) error {
	sender, err := otlpSender(p.App, otlp.Options{Payloads: f.payloads, NoRedact: f.noRedact, Wait: true, Report: options.Report})
	if err != nil {
		return err
	}
	session := sender.Session(src.Header)
	for e, readErr := range export.Events(p.Ctx, src, options) {
		if readErr != nil {
			err = p.exported(readErr)
			break
		}
		session.Event(&e.Event)
	}
	session.Close()
	ctx, cancel := context.WithTimeout(p.Ctx, otlpFlush)
	defer cancel()
	totals := sender.Close(ctx)
	switch {
	case err != nil:
		return err
	case totals.Failed > 0:
		return app.Failed("the collector accepted %d of %d spans", totals.Sent, totals.Sent+totals.Failed+totals.Dropped)
	}
	fmt.Fprintf(p.Err, "sent %d spans\n", totals.Sent)
	return nil
}
