package cli

import (
	"context"
	"fmt"
	"time"

	"mcptea/session/export"
	"mcptea/session/otlp"
)

// otlp is a target of export beside the formats.
const (
	otlpName  = "otlp"
	otlpTitle = "spans and metrics, sent to an OpenTelemetry collector"
)

// otlpFlush is how long the end of a command waits for the collector.
const otlpFlush = 10 * time.Second

// otlpSender connects to the collector.
func (p *program) otlpSender(o otlp.Options) (*otlp.Sender, error) {
	o.Version = p.version.Version
	sender, err := otlp.New(p.ctx, o)
	if err != nil {
		return nil, usage("The variables are those of the OpenTelemetry exporters: OTEL_EXPORTER_OTLP_ENDPOINT, …_PROTOCOL, …_HEADERS.", "%v", err)
	}
	return sender, nil
}

// sendExport sends a recording to the collector.
func (p *program) sendExport(src export.Source, options export.Options, f exportFlags) error {
	sender, err := p.otlpSender(otlp.Options{Payloads: f.payloads, NoRedact: f.noRedact, Wait: true, Report: options.Report})
	if err != nil {
		return err
	}
	session := sender.Session(src.Header)
	for e, readErr := range export.Events(p.ctx, src, options) {
		if readErr != nil {
			err = p.exported(readErr)
			break
		}
		session.Event(&e.Event)
	}
	session.Close()
	ctx, cancel := context.WithTimeout(p.ctx, otlpFlush)
	defer cancel()
	totals := sender.Close(ctx)
	switch {
	case err != nil:
		return err
	case totals.Failed > 0:
		return failed("the collector took %d of %d spans", totals.Sent, totals.Sent+totals.Failed+totals.Dropped)
	}
	fmt.Fprintf(p.err, "sent %d spans\n", totals.Sent)
	return nil
}
