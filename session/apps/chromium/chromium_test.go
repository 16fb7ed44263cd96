package chromium

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T) (*Browser, context.Context) {
	t.Helper()
	if os.Getenv("MCPTEA_E2E") == "" {
		t.Skip("the tests with a browser run with MCPTEA_E2E=1")
	}
	path, err := Find()
	if err != nil {
		t.Skip(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	b, err := Start(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b, ctx
}

func TestBrowser_FramesEventsScreenshot(t *testing.T) {
	b, ctx := start(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/inner" {
			fmt.Fprint(w, `<title>inner</title><script>console.error("inner error")</script>`)
			return
		}
		fmt.Fprint(w, `<title>outer</title><iframe sandbox="allow-scripts" src="/inner"></iframe>`)
	}))
	defer server.Close()
	changed, stop := b.Subscribe()
	defer stop()
	if err := b.Navigate(ctx, server.URL+"/outer"); err != nil {
		t.Fatal(err)
	}
	var title string
	for {
		err := b.Evaluate(ctx, "/inner", "Promise.resolve(document.title)", &title)
		if err == nil && title == "inner" {
			break
		} else if err != nil && !errors.Is(err, ErrNoFrame) && ctx.Err() != nil {
			t.Fatal(err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatal("the frame is not there")
		}
	}
	if err := b.Evaluate(ctx, "/outer", "document.title", &title); err != nil || title != "outer" {
		t.Errorf("%q %v", title, err)
	}
	if err := b.Evaluate(ctx, "/outer", "nothing()", nil); err == nil || !strings.Contains(err.Error(), "nothing is not defined") {
		t.Error(err)
	}
	found := false
	for !found {
		for _, e := range b.Events() {
			found = found || e.Method == "Runtime.consoleAPICalled" && strings.Contains(string(e.Params), "inner error")
		}
		if found {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatal("the error of the frame was not reported")
		}
	}
	if picture, err := b.Screenshot(ctx); err != nil || !strings.HasPrefix(string(picture), "\x89PNG") {
		t.Errorf("%d bytes, %v", len(picture), err)
	}
	b.Close()
	if err := b.Navigate(ctx, server.URL); err == nil {
		t.Error("a page opens in a browser that has ended")
	}
	if _, err := os.Stat(b.dir); !os.IsNotExist(err) {
		t.Errorf("the profile is still there: %v", err)
	}
}

func TestEvents_Bounds(t *testing.T) {
	b := &Browser{}
	long := json.RawMessage(`"` + strings.Repeat("x", maxEventBytes/4) + `"`)
	for range 10 {
		b.happened(message{Method: "Runtime.consoleAPICalled", Params: long})
	}
	b.happened(message{Method: "Runtime.exceptionThrown", Params: json.RawMessage(`{}`)})
	if all := b.Events(); len(all) != 4 || all[3].Method != "Runtime.exceptionThrown" || !b.Lost() {
		t.Errorf("%d events, lost: %v", len(all), b.Lost())
	}
	b.Forget()
	for i := range maxEvents + 1 {
		if b.Lost() {
			t.Fatalf("lost after %d events", i)
		}
		b.happened(message{Method: "Runtime.consoleAPICalled"})
	}
	if all := b.Events(); len(all) != maxEvents || !b.Lost() {
		t.Errorf("%d events, lost: %v", len(all), b.Lost())
	}
}

func TestReadMessage_Bounds(t *testing.T) {
	r := bufio.NewReader(io.MultiReader(strings.NewReader("one\x00"), io.LimitReader(endless{}, 2*maxMessage), strings.NewReader("\x00two\x00")))
	for _, want := range []string{"one\x00", "", "two\x00"} {
		got, err := readMessage(r)
		if err != nil || want != "" && string(got) != want || len(got) > maxMessage+1<<16 {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestStart_NotABrowser(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := Start(t.Context(), path+"-missing"); err == nil {
		b.Close()
		t.Error("a missing program was started")
	} else if !strings.Contains(err.Error(), "no such file") {
		t.Log(err)
	}
}

// A request has an outcome when the browser ends, and one that is sent later at once.
func TestSettleAll(t *testing.T) {
	b := &Browser{ended: make(chan struct{}), waiting: map[int]chan<- answer{}}
	toBrowser, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = toBrowser.Close() }()
	from, browser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	b.pipe, b.from = pipe, from
	go b.read()
	outcome := make(chan error, 1)
	go func() { outcome <- b.Navigate(t.Context(), "about:blank") }()
	if _, err := bufio.NewReader(toBrowser).ReadString(0); err != nil { // the request is sent
		t.Fatal(err)
	}
	_ = browser.Close()
	if err := <-outcome; !errors.Is(err, errEnded) {
		t.Errorf("the outcome is %v", err)
	}
	<-b.ended
	if err := b.Navigate(t.Context(), "about:blank"); !errors.Is(err, errEnded) {
		t.Errorf("after the end: %v", err)
	}
}
