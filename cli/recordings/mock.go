package recordings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/record"
	"mcptea/session/declare"
	"mcptea/session/runs/replay"
	"mcptea/session/runs/watch"
)

// mockFlags are the flags of mcptea mock.
type mockFlags struct {
	listen  string
	speed   string
	declare string
	watch   bool
	seed    uint64
	both    bool
}

// mockCommand is mcptea mock.
type mockCommand struct{ *link.Link }

func (p *mockCommand) command() *cobra.Command {
	var f mockFlags
	cmd := &cobra.Command{
		Use:   "mock FILE | --declare FILE",
		Short: "Run a server that responds as a recording did, or as a file declares",
		Long: `Run a server that responds as the server of a recording did, or as a file declares, on stdin and stdout, or over HTTP.

With a recording, mcptea matches a request with the recorded requests by method and parameters. If none is equal, it ignores _meta, and then cursors and ids too. Equal requests get the recorded responses in order, and then the last one repeatedly. Notifications and requests of the server are sent in their recorded order. A request without a match gets an error response that names the nearest recorded request and the difference. Over HTTP the mock has the transport of the recording: HTTP+SSE, or else Streamable HTTP.

A recording of 2026-07-28 also serves clients that send initialize, and with --both-eras a recording with initialize serves clients of 2026-07-28: results get the form of the client's version. If that version has no form for a message, the client gets an error response, or the message is left out; stderr says so.

With --declare, a YAML or JSON file declares tools, resources, resource templates, prompts, skills and event types, with responses by arguments, errors, delays, progress and faults. Arguments are checked with the input schema. All protocol versions are supported. mcptea help mock describes the file, and mcptea explain mock-schema prints its JSON Schema.`,
		Example: `  mcptea mock session.mcptea.jsonl
  mcptea mock session.mcptea.jsonl --listen 8080
  mcptea mock --declare shop.yaml --listen 8080 --watch
  mcptea list -- mcptea mock session.mcptea.jsonl --speed 1x`,
		ValidArgsFunction: target.CompleteFiles("jsonl"),
		RunE:              p.RunE(func(_ *cobra.Command, args []string) error { return p.mock(args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		link.DeclareListen(fs, &f.listen, "instead of stdin and stdout, serve over HTTP")
		fs.StringVar(&f.speed, "speed", "0", "`SPEED` of the messages of a recording: 0 without pauses, 1x as recorded, 2x twice as fast, …")
		fs.BoolVar(&f.both, "both-eras", false, "for a recording with initialize: also respond to server/discover, so that clients of 2026-07-28 can use it")
		fs.StringVar(&f.declare, "declare", "", "serve what this YAML or JSON `FILE` declares")
		fs.BoolVar(&f.watch, "watch", false, "with --declare: serve changes of the file, and tell clients of changed lists")
		fs.Uint64Var(&f.seed, "seed", 0, "with --declare: decide the probabilities of faults by this `NUMBER`, to repeat a run")
	})
	_ = cmd.MarkFlagFilename("declare", "yaml", "yml", "json")
	return cmd
}

func (p *mockCommand) mock(args []string, f mockFlags) error {
	switch {
	case f.declare != "" && len(args) > 0:
		return app.Usage("Omit one of them.", "--declare FILE and a recording exclude each other, found %q", args[0])
	case f.declare != "":
		return p.mockDeclared(f)
	case f.watch:
		return app.Usage("Omit the flag.", "--watch requires --declare: a recording does not change")
	case len(args) != 1:
		return app.Usage("Run: mcptea mock FILE, or mcptea mock --declare FILE", "mock requires one recording")
	case args[0] == "-" && f.listen == "":
		return app.Usage("Use --listen ADDRESS, or name a file.", "the recording cannot be read from stdin, on which the client writes")
	}
	speed, err := parseSpeed(f.speed)
	if err != nil {
		return err
	}
	path, cleanUp, err := p.RecordingFile(args[0])
	if err != nil {
		return err
	}
	defer cleanUp()
	turns, err := readRecording(p.App, args[0], path)
	var wrong *app.Error
	if errors.As(err, &wrong) && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) && app.ReaderOf("mock", path) == "" {
		wrong.Hint = "To serve what the file declares: mcptea mock --declare " + args[0]
	}
	if err != nil {
		return err
	}
	server := replay.NewMock(turns, replay.MockOptions{Speed: speed, Stateless: f.both, Report: p.report()})
	return p.serveMock(f.listen, recordedPath(turns), server.ServeStdio, server.Handler)
}

// report prints notes of several goroutines.
func (p *mockCommand) report() func(text string) {
	var mu sync.Mutex
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		p.Note(text)
	}
}

// serveMock serves one client on stdin and stdout, or with an address all over HTTP.
func (p *mockCommand) serveMock(listen, path string, stdio func(context.Context, io.Reader, io.Writer) error, handler func(context.Context) http.Handler) error {
	if listen == "" {
		return stdio(p.Ctx, p.In, p.Out.Writer)
	}
	return p.ListenHTTP(listen, handler, func(base string) {
		fmt.Fprintf(p.Err, "The mock listens at %s%s\n", base, path)
	})
}

// mockDeclared serves a declared server.
func (p *mockCommand) mockDeclared(f mockFlags) error {
	if f.declare == "-" && f.listen == "" {
		return app.Usage("Use --listen ADDRESS, or name a file.", "the file cannot be read from stdin, on which the client writes")
	}
	file, err := p.readDeclared(f.declare)
	if err != nil {
		return err
	}
	if name := file.HTTPFault(); name != "" && f.listen == "" {
		p.Note(fmt.Sprintf("the fault of %s is one of HTTP: it has no effect without --listen", name))
	}
	report := p.report()
	mock := declare.NewMock(p.Ctx, file, declare.Options{Changes: f.watch, Seed: f.seed, Report: report})
	if f.watch {
		files, err := watch.Open(f.declare)
		if err != nil {
			return app.Usage("Omit --watch.", "--watch: %v", err)
		}
		defer files.Close()
		go func() {
			for range files.Changes() {
				file, err := p.readDeclared(f.declare)
				if err != nil {
					report(err.Error() + "; what was declared before is served")
					continue
				}
				mock.Replace(file)
				report("serving the changed " + f.declare)
			}
		}()
	}
	return p.serveMock(f.listen, "/mcp", mock.ServeStdio, mock.Handler)
}

// readDeclared reads a file of --declare.
func (p *mockCommand) readDeclared(name string) (*declare.File, error) {
	text, err := p.ReadNamed("declaration", name)
	if err != nil {
		return nil, err
	}
	file, err := declare.Parse(name, text)
	var mistake *declare.Error
	if errors.As(err, &mistake) {
		return nil, app.Usage(p.Err.Safe(mistake.Hint), "%v", mistake)
	}
	return file, err
}

// readRecording reads the turns of a recording. It fails if there are none.
func readRecording(a *app.App, name, path string) (*replay.Transcript, error) {
	turns, err := readTurns(a, name, path)
	if errors.Is(err, record.ErrNotARecording) {
		err = app.NotARecording(name, err)
	}
	if err != nil {
		return nil, err
	}
	for i, text := range turns.Unread {
		a.Note(fmt.Sprintf("%s: %s", name, text))
		if i == app.MaxNotes {
			break
		}
	}
	for i := range turns.Turns {
		if turns.Turns[i].IsRequest {
			return turns, nil
		}
	}
	return nil, app.Usage("Record a session with --record FILE.", "%s: the recording has no request of a client", name)
}

// recordedPath returns the path of the URL in the recording.
func recordedPath(turns *replay.Transcript) string {
	if u, err := url.Parse(turns.Store().Header().Target); err == nil && u.Scheme != "" && strings.HasPrefix(u.Path, "/") {
		return u.EscapedPath()
	}
	return "/mcp"
}

func parseSpeed(text string) (float64, error) {
	speed, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || speed < 0 || math.IsInf(speed, 0) || math.IsNaN(speed) {
		return 0, app.Usage("Write 0 for no pauses, 1x for the recorded ones, or 2x for half of them.", "--speed: %q is not a speed", text)
	}
	return speed, nil
}
