package cli

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/internal/test/panetest"
	"mcptea/lint"
	"mcptea/record/filter"
	"mcptea/record/recordings"
	"mcptea/record/statistics"
	"mcptea/record/store"
	"mcptea/record/timeline"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	recordingspane "mcptea/ui/pane/recordings"
	statisticspane "mcptea/ui/pane/statistics"
	timelinepane "mcptea/ui/pane/timeline"
)

// cells are the gap between two cells of a row that is painted.
const cells = "  "

// statisticsPane reads the row of the tool in the pane Statistics.
func statisticsPane(t *testing.T, dir string) facts {
	program := panetest.New(t)
	p := statisticspane.New(program, statisticspane.Program{
		Read: func(ctx context.Context, since time.Time, progress func(done, of int)) (statistics.Total, error) {
			return statistics.Read(ctx, dir, since, progress)
		},
		Name: func(path string) (when, about string) { return filepath.Base(path), "" },
	})
	program.Pane = p
	p.Count()
	p.Refresh(app.Tick{})
	return tableFacts(t, spaced(program.Paint(160, 24, true)), `(?m)^[^\n]*\becho  (.*?)$`, cells, statisticsFacts)
}

var borders, gaps = regexp.MustCompile(`[│┃▏▕]`), regexp.MustCompile(` {2,}`)

// spaced is a screen with one gap between two cells, and without borders.
func spaced(screen string) string {
	return gaps.ReplaceAllString(borders.ReplaceAllString(screen, cells), cells)
}

// recordingsPane reads the row of the tool below the list of recordings.
func recordingsPane(t *testing.T, dir string) facts {
	c := recordings.NewCatalog(recordings.Options{Dir: dir})
	if err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	program := panetest.New(t)
	p := recordingspane.New(program, recordingspane.Program{}, c, "")
	program.Pane = p
	p.Refresh(app.Tick{})
	return tableFacts(t, spaced(program.Paint(160, 40, true)), `(?m)^[^\n]*\becho  (\d+  (?:\d|–).*?)$`, cells, []string{"calls", "response errors", "p50", "p95"})
}

// recorded is a recording as what the panes of Traffic show.
type recorded struct{ s *store.Store }

func (r recorded) Store() *store.Store                   { return r.s }
func (recorded) State() session.State                    { return session.State{} }
func (recorded) FindingsAt(int32) []lint.Finding         { return nil }
func (recorded) ErrorRows() []int32                      { return nil }
func (recorded) WorstIn(_, _ int32) (*lint.Finding, int) { return nil, 0 }

// timelinePane reads the row of the tool among the latencies of Timeline.
func timelinePane(t *testing.T, dir string) facts {
	st, err := store.Open(filepath.Join(dir, "session.mcptea.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	if err := st.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	tl := timeline.New(st)
	ctx, stop := context.WithCancel(t.Context())
	changed, unsubscribe := st.Subscribe()
	defer unsubscribe()
	var running sync.WaitGroup
	running.Go(func() { tl.Run(ctx) })
	for !tl.Snapshot().CaughtUp {
		<-changed
	}
	stop()
	running.Wait()
	program := panetest.New(t)
	p := timelinepane.New(&frames.Program{App: program, Source: recorded{st}, Filter: frames.NewFilter(recorded{st}, filter.Names{})}, tl)
	program.Pane = p
	p.Refresh(app.Tick{})
	screen := spaced(program.Paint(160, 40, true))
	row := regexp.MustCompile(`(?m)^(  (?:▌ +)?echo  \d+  \d+)  (\S+)  (\S+)  (\S+)`) // the unit of the times is in the title
	screen = strings.ReplaceAll(row.ReplaceAllString(screen, "$1  ${2}ms  ${3}ms  ${4}ms"), "–ms", "–")
	return tableFacts(t, screen, `(?m)^  (?:▌ +)?echo  (\d.*?)$`, cells, []string{"ended", "failed", "p50", "p95", "max"})
}

// otlpSpans reads the spans of the calls that a collector receives.
func otlpSpans(t *testing.T, dir string) facts {
	var times []time.Duration
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var sent struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []struct {
						Name       string `json:"name"`
						Start      int64  `json:"startTimeUnixNano,string"`
						End        int64  `json:"endTimeUnixNano,string"`
						Attributes []struct {
							Key string `json:"key"`
						} `json:"attributes"`
						Status struct {
							Code int `json:"code"`
						} `json:"status"`
					} `json:"spans"`
				} `json:"scopeSpans"`
			} `json:"resourceSpans"`
		}
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Errorf("%v: %s", err, body)
		}
		for _, resource := range sent.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, s := range scope.Spans {
					if s.Name == "tools/call echo" {
						times = append(times, time.Duration(s.End-s.Start))
					}
				}
			}
		}
		_, _ = w.Write([]byte("{}"))
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	if _, stderr, code := called(t, "export", filepath.Join(dir, "session.mcptea.jsonl"), "--to", "otlp"); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	return facts{"spans": timesOf(times)["times"]}
}
