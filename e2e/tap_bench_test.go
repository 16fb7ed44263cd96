//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const pingFrame = `{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"echo","arguments":{"message":"how long does this take?"}}}` + "\n"

// percentiles reports the median and the 99th percentile of durations.
func percentiles(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkTap_StdioRoundTrip writes a line to cat and reads it back, directly and
// through a tap that records.
func BenchmarkTap_StdioRoundTrip(b *testing.B) {
	for _, c := range []struct {
		name string
		argv func(dir string) []string
	}{
		{"direct", func(string) []string { return []string{"cat"} }},
		{"tap", func(dir string) []string {
			return []string{program(b), "tap", "--record", filepath.Join(dir, "s.mcptea.jsonl"), "--", "cat"}
		}},
		{"watch", func(dir string) []string {
			return []string{program(b), "tap", "--record", filepath.Join(dir, "s.mcptea.jsonl"), "--watch=" + b.TempDir(), "--", "cat"}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			argv := c.argv(b.TempDir())
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+b.TempDir())
			stdin, stdout := startOverPipes(b, cmd)
			lines := bufio.NewReader(stdout)
			roundTrip := func() {
				if _, err := io.WriteString(stdin, pingFrame); err != nil {
					b.Fatal(err)
				}
				if line, err := lines.ReadString('\n'); err != nil || line != pingFrame {
					b.Fatalf("%q, %v", line, err)
				}
			}
			roundTrip() // the processes are started
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				roundTrip()
				took = append(took, time.Since(begin))
			}
			percentiles(b, took)
			_ = stdin.Close()
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkTap_HTTPRoundTrip posts a message to a server, directly and through a tap
// that records.
func BenchmarkTap_HTTPRoundTrip(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	defer server.Close()
	for _, name := range []string{"direct", "tap"} {
		b.Run(name, func(b *testing.B) {
			url := server.URL + "/mcp"
			if name == "tap" {
				url = listeningTap(b, "--record", filepath.Join(b.TempDir(), "s.mcptea.jsonl"), url)
			}
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			roundTrip := func() {
				response, err := client.Post(url, "application/json", strings.NewReader(pingFrame))
				if err != nil {
					b.Fatal(err)
				}
				got, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if err != nil || string(got) != pingFrame {
					b.Fatalf("%q, %v", got, err)
				}
			}
			roundTrip()
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				roundTrip()
				took = append(took, time.Since(begin))
			}
			percentiles(b, took)
		})
	}
}

// listeningTap starts mcptea tap --listen and returns its URL.
func listeningTap(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t), append([]string{"tap", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	line, _ := lines.ReadString('\n')
	_, url, found := strings.Cut(strings.TrimSpace(line), "listens at ")
	if !found {
		t.Fatalf("mcptea tap printed %q", line)
	}
	rest := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(lines)
		rest <- string(text)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		text := <-rest
		if offer := strings.Contains(text, "--save-client"); offer && strings.Count(text, "\n") <= 1 {
			text = "" // what can be made of the recording
		}
		if err := cmd.Wait(); err != nil || text != "" {
			t.Errorf("mcptea tap: %v\n%s", err, text)
		}
	})
	return url
}

// floodFile writes a million frames.
func floodFile(t testing.TB) (path string, size int64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "flood.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(file, 1<<20)
	for i := range floodFrames {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":{"number":%d,"text":"the quick brown fox jumps over the lazy dog, and some more of them"}}}`+"\n", i)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	return path, info.Size()
}

const floodFrames = 1_000_000

// BenchmarkTap_Flood passes a million frames through tee and through a tap: the time
// until the last byte has passed, and, as recorded-s, until the recording is complete.
func BenchmarkTap_Flood(b *testing.B) {
	flood, size := floodFile(b)
	for _, name := range []string{"tee", "tap", "watch"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			var passed, recorded time.Duration
			for b.Loop() {
				dir := b.TempDir()
				file := filepath.Join(dir, "out.mcptea.jsonl")
				cmd := exec.Command("sh", "-c", fmt.Sprintf("cat '%s' | tee '%s' | cat", flood, file))
				switch name {
				case "tap":
					cmd = exec.Command(program(b), "tap", "--record", file, "--", "cat", flood)
				case "watch":
					cmd = exec.Command(program(b), "tap", "--record", file, "--watch="+b.TempDir(), "--", "cat", flood)
				}
				cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir)
				stdout, err := cmd.StdoutPipe()
				if err != nil {
					b.Fatal(err)
				}
				begin := time.Now()
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, stdout, make([]byte, 256<<10))
				if err != nil || n != size {
					b.Fatalf("%d bytes, %v", n, err)
				}
				passed += time.Since(begin)
				if err := cmd.Wait(); err != nil {
					b.Fatal(err)
				}
				recorded += time.Since(begin)
				b.StopTimer()
				if text, err := os.ReadFile(file); err != nil || name != "tee" && bytes.Count(text, []byte(`,"k":"in",`)) != floodFrames {
					b.Fatalf("the recording has %d frames, %v", bytes.Count(text, []byte(`,"k":"in",`)), err)
				}
				_ = os.Remove(file)
				b.StartTimer()
			}
			b.ReportMetric(passed.Seconds()/float64(b.N), "passed-s")
			b.ReportMetric(recorded.Seconds()/float64(b.N), "recorded-s")
		})
	}
}
