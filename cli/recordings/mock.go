package recordings

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/session/record"
	"mcptea/session/replay"
)

// mockFlags are the flags of mcptea mock.
type mockFlags struct {
	listen string
	speed  string
}

func (p *commands) mockCommand() *cobra.Command {
	var f mockFlags
	cmd := &cobra.Command{
		Use:   "mock FILE",
		Short: "Run a server that responds as a recording does",
		Long: `Run a server that responds as the server of a recording did, on stdin and stdout, or over HTTP.

A request is matched with the recorded ones by its method and parameters; if none is equal, then without _meta, and then without cursors and ids. Equal requests get the successive recorded responses, and then the last one again. Notifications and requests of the server are sent in their recorded order. A request without a match gets an error response that names the nearest recorded request and what differs.

Over HTTP the mock has the transport of the recording: HTTP+SSE, or else Streamable HTTP.`,
		Example: `  mcptea mock session.mcptea.jsonl
  mcptea mock session.mcptea.jsonl --listen 8080
  mcptea list -- mcptea mock session.mcptea.jsonl --speed 1x`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: target.CompleteFiles("jsonl"),
		RunE:              p.RunE(func(_ *cobra.Command, args []string) error { return p.mock(args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		target.DeclareListen(fs, &f.listen, "instead of stdin and stdout, serve over HTTP")
		fs.StringVar(&f.speed, "speed", "0", "`SPEED` of the messages: 0 without pauses, 1x as recorded, 2x twice as fast, …")
	})
	return cmd
}

func (p *commands) mock(args []string, f mockFlags) error {
	switch {
	case len(args) != 1:
		return app.Usage("Run: mcptea mock FILE", "mock requires one recording")
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
	turns, err := p.readRecording(args[0], path)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	server := replay.NewMock(turns, replay.MockOptions{Speed: speed, Report: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		p.Note(text)
	}})
	if f.listen == "" {
		return server.ServeStdio(p.Ctx, p.In, p.Out.Writer)
	}
	return p.ListenHTTP(f.listen, server.Handler, func(base string) {
		fmt.Fprintf(p.Err, "The mock listens at %s%s\n", base, recordedPath(turns))
	})
}

// readRecording reads the turns of a recording, of which there must be some.
func (p *commands) readRecording(name, path string) (*replay.Transcript, error) {
	turns, err := p.readTurns(name, path)
	if errors.Is(err, record.ErrNotARecording) {
		err = app.NotARecording(name, err)
	}
	if err != nil {
		return nil, err
	}
	for i, text := range turns.Unread {
		p.Note(fmt.Sprintf("%s: %s", name, text))
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

// recordedPath is the path of the URL in the recording.
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
