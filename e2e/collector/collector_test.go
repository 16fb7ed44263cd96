// Package collector holds what the program sends over OTLP against the receiver of
// the OpenTelemetry Collector. It is a module of its own, so that the program does
// not depend on the collector.
package collector

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

// receive starts the receiver and returns where it listens, and what arrives.
func receive(t *testing.T) (http string, traces *consumertest.TracesSink) {
	t.Helper()
	http = freeAddress(t)
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	protocols := map[string]any{"protocols": map[string]any{
		"http": map[string]any{"endpoint": http},
	}}
	if err := confmap.NewFromStringMap(protocols).Unmarshal(config); err != nil {
		t.Fatal(err)
	}
	traces = new(consumertest.TracesSink)
	settings := receivertest.NewNopSettings(factory.Type())
	tracing, err := factory.CreateTraces(t.Context(), settings, config, traces)
	if err != nil {
		t.Fatal(err)
	}
	if err := tracing.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tracing.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return http, traces
}

// freeAddress is an address of this machine without a listener.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// program builds the program and returns its path.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcptea")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// run runs the program until its end or the deadline.
func run(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// spans are the attributes of the spans with a name.
func spans(traces []ptrace.Traces, name string) (found []map[string]any) {
	for _, t := range traces {
		for _, r := range t.ResourceSpans().All() {
			for _, s := range r.ScopeSpans().All() {
				for _, span := range s.Spans().All() {
					if span.Name() == name {
						found = append(found, span.Attributes().AsRaw())
					}
				}
			}
		}
	}
	return found
}

func TestExport_ArrivesAtTheCollector(t *testing.T) {
	mcptea := program(t)
	recording := filepath.Join(t.TempDir(), "session.mcptea.jsonl")
	arguments, err := json.Marshal(map[string]any{"message": "hello"})
	if err != nil {
		t.Fatal(err)
	}
	run(t, nil, mcptea, "call", "--record", recording, "echo", string(arguments), "--", mcptea, "demo", "--serve")
	env, arrived := collect(t)
	run(t, env, mcptea, "export", recording, "--to", "otlp")
	arrived()
}

// A tap sends what a client, here the program itself, and the server say to each
// other. The collector has it all when the tap has ended.
func TestTap_ArrivesAtTheCollector(t *testing.T) {
	mcptea := program(t)
	env, arrived := collect(t)
	run(t, env, mcptea, "call", "echo", "message=hello", "--", mcptea, "tap", "--otlp", "--record", "off", "--", mcptea, "demo", "--serve")
	arrived()
}

// collect starts a collector. arrived checks what it has.
func collect(t *testing.T) (env []string, arrived func()) {
	t.Helper()
	http, traces := receive(t)
	env = []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + http}
	return env, func() {
		t.Helper()
		found := spans(traces.AllTraces(), "tools/call echo")
		if len(found) != 1 {
			t.Fatalf("%d spans of the call among %d", len(found), traces.SpanCount())
		}
		for key, want := range map[string]string{
			"mcp.method.name": "tools/call", "gen_ai.tool.name": "echo", "gen_ai.operation.name": "execute_tool", "network.transport": "pipe",
		} {
			if got := fmt.Sprint(found[0][key]); got != want {
				t.Errorf("%s is %q, want %q", key, got, want)
			}
		}
		if id, version := found[0]["jsonrpc.request.id"], found[0]["mcp.protocol.version"]; id == nil || version == nil {
			t.Errorf("jsonrpc.request.id is %v, mcp.protocol.version %v", id, version)
		}
	}
}
