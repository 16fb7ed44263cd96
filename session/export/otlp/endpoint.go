package otlp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"mcptea/internal/backoff"
)

// endpoint is the address for traces, from the variables OTEL_EXPORTER_OTLP_… (OTLP exporter
// specification, configuration options).
type endpoint struct {
	client *http.Client
	url    string
	header http.Header
}

const (
	// tracesPrefix is the prefix of the variables that apply only to traces.
	tracesPrefix = "OTEL_EXPORTER_OTLP_TRACES_"
	// protocolHTTP is the only supported protocol, as named in OTEL_EXPORTER_OTLP_PROTOCOL. A collector that
	// accepts protocolBinary accepts it, too, at the same address.
	protocolHTTP   = "http/json"
	protocolBinary = "http/protobuf"
	// responseTimeout is for one request.
	responseTimeout = 10 * time.Second
)

// setting returns a variable for traces or, if that is not set, the variable for all signals, and its name.
func setting(option string) (value, name string) {
	name = tracesPrefix + option
	if value = os.Getenv(name); value != "" {
		return value, name
	}
	name = "OTEL_EXPORTER_OTLP_" + option
	return os.Getenv(name), name
}

func newEndpoint(version string) (*endpoint, error) {
	if err := checkProtocol(); err != nil {
		return nil, err
	}
	address, err := addressOf()
	if err != nil {
		return nil, err
	}
	e := &endpoint{client: &http.Client{Timeout: responseTimeout}, url: address, header: http.Header{}}
	text, name := setting("HEADERS")
	for pair := range strings.SplitSeq(text, ",") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			value, err := url.PathUnescape(strings.TrimSpace(value))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			e.header.Set(strings.TrimSpace(key), value)
		}
	}
	e.header.Set("User-Agent", scope+"/"+version)
	e.header.Set("Content-Type", "application/json")
	return e, nil
}

func checkProtocol() error {
	switch protocol, name := setting("PROTOCOL"); protocol {
	case "", protocolHTTP, protocolBinary:
		return nil
	case "grpc":
		return fmt.Errorf("%s: gRPC is not supported; use %s, which collectors accept on port 4318", name, protocolHTTP)
	default:
		return fmt.Errorf("%s: unknown protocol %q; expected %s", name, protocol, protocolHTTP)
	}
}

// addressOf returns the URL for traces: their path is appended to the address of all signals.
func addressOf() (string, error) {
	text, name := setting("ENDPOINT")
	u, err := url.Parse(cmp.Or(text, "http://localhost:4318"))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if !strings.HasPrefix(name, tracesPrefix) {
		return u.JoinPath("/v1/traces").String(), nil
	}
	u.Path = cmp.Or(u.Path, "/")
	return u.String(), nil
}

const (
	// retryTimeout is for how long a request is repeated.
	retryTimeout = time.Minute
	// maxWish bounds the pause that a collector asks for, in seconds.
	maxWish = 3600
	// maxAnswer bounds the part of a response that is read, in bytes.
	maxAnswer = 64 << 10
)

// betweenRequests are the pauses before a request is repeated.
var betweenRequests = backoff.Backoff{First: 5 * time.Second, Most: 30 * time.Second, Factor: 1.5}

// errRetry is an error after which a request may be repeated.
type errRetry struct {
	error
	after time.Duration // minimum pause, as requested by the collector, or 0
}

// post sends a request, and repeats it while the collector is only busy. It returns the number of spans that
// the collector rejected, and the reason.
func (e *endpoint) post(ctx context.Context, body []byte) (rejected int64, why string, err error) {
	began := time.Now()
	for pauses := (backoff.Series{Backoff: betweenRequests}); ; {
		rejected, why, err = e.once(ctx, body)
		var again errRetry
		if !errors.As(err, &again) || time.Since(began) > retryTimeout {
			return rejected, why, err
		}
		pause := pauses.Next()
		select {
		case <-ctx.Done():
			return 0, "", errors.Join(ctx.Err(), err)
		case <-time.After(max(again.after, pause/2+rand.N(pause))):
		}
	}
}

func (e *endpoint) once(ctx context.Context, body []byte) (rejected int64, why string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	request.Header = e.header.Clone()
	response, err := e.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch status := response.StatusCode; {
	case status >= 200 && status < 300 && err == nil && strings.HasPrefix(response.Header.Get("Content-Type"), "application/json"):
		return partialSuccess(text)
	case status >= 200 && status < 300:
		return 0, "", err
	case status == http.StatusTooManyRequests, status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		wish, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return 0, "", errRetry{fmt.Errorf("%s: %s", e.url, response.Status), time.Duration(min(max(wish, 0), maxWish)) * time.Second}
	case status == http.StatusUnsupportedMediaType:
		return 0, "", fmt.Errorf("%s: %s; it does not accept OTLP as JSON (%s)", e.url, response.Status, protocolHTTP)
	default:
		return 0, "", fmt.Errorf("%s: %s", e.url, response.Status)
	}
}
