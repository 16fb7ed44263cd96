package otlp

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/session/export/otlp/wire"
)

// endpoint is where the collector takes traces, as the variables OTEL_EXPORTER_OTLP_…
// say (OTLP exporter specification, configuration options).
type endpoint struct {
	client *http.Client
	url    string
	header http.Header
	gzip   bool
}

// tracesPrefix is that of the variables which are for traces alone.
const tracesPrefix = "OTEL_EXPORTER_OTLP_TRACES_"

// setting returns a variable of traces, or else that of all signals, and its name.
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
	e := &endpoint{url: address, header: http.Header{}}
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
	e.header.Set("Content-Type", "application/x-protobuf")
	text, _ = setting("COMPRESSION")
	if e.gzip = text == "gzip"; e.gzip {
		e.header.Set("Content-Encoding", "gzip")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if transport.TLSClientConfig, err = tlsConfig(); err != nil {
		return nil, err
	}
	timeout := 10 * time.Second
	text, _ = setting("TIMEOUT")
	if ms, err := strconv.Atoi(text); err == nil && ms > 0 {
		timeout = time.Duration(ms) * time.Millisecond
	}
	e.client = &http.Client{Transport: transport, Timeout: timeout}
	return e, nil
}

// protocolHTTP is the only protocol, as OTEL_EXPORTER_OTLP_PROTOCOL names it.
const protocolHTTP = "http/protobuf"

func checkProtocol() error {
	switch protocol, name := setting("PROTOCOL"); protocol {
	case "", protocolHTTP:
		return nil
	case "grpc":
		return fmt.Errorf("%s: gRPC is not supported; use %s, which collectors take on port 4318", name, protocolHTTP)
	default:
		return fmt.Errorf("%s: unknown protocol %q; expected %s", name, protocol, protocolHTTP)
	}
}

// addressOf returns the URL for traces: their path is appended to the address of all signals.
func addressOf() (string, error) {
	text, name := setting("ENDPOINT")
	isOwn := strings.HasPrefix(name, tracesPrefix)
	if text == "" {
		text = "https://localhost:4318"
		if isDefaultEndpoint() {
			text = "http://localhost:4318"
		}
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if insecure, _ := setting("INSECURE"); insecure != "" {
		u.Scheme = map[bool]string{true: "http", false: "https"}[strings.EqualFold(insecure, "true")]
	}
	if !isOwn {
		return u.JoinPath("/v1/traces").String(), nil
	}
	u.Path = cmp.Or(u.Path, "/")
	return u.String(), nil
}

// isDefaultEndpoint reports whether nothing says where the collector is. The
// default is http://localhost; with a variable that is about TLS it is https.
func isDefaultEndpoint() bool {
	return !slices.ContainsFunc([]string{"ENDPOINT", "INSECURE", "CERTIFICATE"}, func(option string) bool {
		value, _ := setting(option)
		return value != ""
	})
}

// tlsConfig returns the certificates of the connection; nil without any.
func tlsConfig() (*tls.Config, error) {
	ca, name := setting("CERTIFICATE")
	certificate, _ := setting("CLIENT_CERTIFICATE")
	key, keyName := setting("CLIENT_KEY")
	if ca == "" && (certificate == "" || key == "") {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		text, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if config.RootCAs = x509.NewCertPool(); !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: %s has no certificate in PEM", name, ca)
		}
	}
	if certificate != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", keyName, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

const (
	// retryInterval is the first pause before a request is repeated; it grows by half each
	// time, up to maxRetryInterval.
	retryInterval    = 5 * time.Second
	maxRetryInterval = 30 * time.Second
	// retryTimeout is for how long a request is repeated.
	retryTimeout = time.Minute
	// maxAnswer bounds what is read of a response, in bytes.
	maxAnswer = 64 << 10
)

// errRetry is an error after which a request may be repeated.
type errRetry struct {
	error
	after time.Duration // as the collector wants it; 0 without a wish
}

// post sends a request, and repeats it while the collector is only busy. It returns how
// much of it the collector rejected, and why.
func (e *endpoint) post(ctx context.Context, body []byte) (rejected int64, why string, err error) {
	if e.gzip {
		var packed bytes.Buffer // which takes everything
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(body)
		_ = w.Close()
		body = packed.Bytes()
	}
	began := time.Now()
	for pause := retryInterval; ; pause = min(pause*3/2, maxRetryInterval) {
		rejected, why, err = e.once(ctx, body)
		var again errRetry
		if !errors.As(err, &again) || time.Since(began) > retryTimeout {
			return rejected, why, err
		}
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
	case status >= 200 && status < 300 && err == nil && response.Header.Get("Content-Type") == "application/x-protobuf":
		return wire.Rejected(text)
	case status >= 200 && status < 300:
		return 0, "", err
	case status == http.StatusTooManyRequests, status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		wish, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return 0, "", errRetry{fmt.Errorf("%s: %s", e.url, response.Status), time.Duration(wish) * time.Second}
	default:
		return 0, "", fmt.Errorf("%s: %s", e.url, response.Status)
	}
}
