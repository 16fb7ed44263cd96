package cli

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"mcptea/internal/test/oauthtest"
	"mcptea/internal/test/programs"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/worker"
)

// deadline bounds every wait of the tests.
const deadline = 20 * time.Second

// parallel is the number of tests, and of command lines in workers, that run at the same time. Most of them
// wait for timeouts of other processes, and use little of the processors.
const parallel = 8

type leakCheck struct{ *testing.M }

// garbagePercent is how much garbage this process gathers between two collections, which take half of its
// processor time otherwise: what the tests keep is small.
const garbagePercent = 400

func (m leakCheck) Run() int {
	if err := findPrograms(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	debug.SetGCPercent(garbagePercent)
	code := m.M.Run()
	_ = programs.Remove() // it is temporary: the exit code is that of the tests
	if err := workers.Close(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// findPrograms puts the servers on PATH, then the program, then this binary, of which the workers are.
func findPrograms() error {
	this, err := exec.LookPath("mcptea")
	if err != nil {
		return err
	}
	workers = worker.NewPool(this, parallel)
	dir, err := programs.Build()
	if err != nil {
		return err
	}
	program, err := programs.Program(version)
	if err != nil {
		return err
	}
	path := []string{dir, program, os.Getenv("PATH")}
	return os.Setenv("PATH", strings.Join(slices.DeleteFunc(path, func(s string) bool { return s == "" }), string(filepath.ListSeparator)))
}

// version is that of the program of the tests.
const version = "1.2.3"

// TestMain makes this binary the program itself when it is called mcptea.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", fmt.Sprint(parallel)); err != nil {
		panic(err)
	}
	testscript.Main(leakCheck{m}, map[string]func(){"mcptea": mcptea})
}

// workers run the command lines of the tests that need no process of their own.
var workers *worker.Pool

// mcptea is the program, or a worker that runs its command lines.
func mcptea() {
	if !worker.Asked() {
		os.Exit(Main(version))
	}
	err := worker.Serve(func(in, out, errs *os.File, args []string) int { return Run(version, in, out, errs, args) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // or each process lasts a second longer
			env.Setenv("GOGC", "400")                 // or this binary, which is larger than the program, collects at each start
			env.Setenv("MCPTEA_TOKEN_STORE", "file")  // the keyring of the developer stays unchanged
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			// What a script cannot write itself.
			env.Setenv("CONTROL", "X: a\x01b")
			env.Setenv("LATIN_OBJECT", "{\"a\":\"\xe9\"}")
			env.Setenv("LATIN_JSON", "a:=\"\xe9\"")
			env.Setenv("LATIN_TEXT", "a=\xe9")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"demohttp": demoHTTP, "mock": mockHTTP, "taphttp": tapHTTP, "chatty": chatty,
			"guarded": guarded, "authserve": authServe, "tlsservers": tlsServers,
			"waitfor": waitFor, "until": until,
			"exits": exits, "run": run,
		},
		RequireUniqueNames: true,
		Condition:          raced.Condition,
	})
}

// waitFor FILE REGEXP waits until a line of a file matches.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitfor FILE REGEXP")
	}
	want := regexp.MustCompile(args[1])
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	late := time.After(deadline)
	for {
		select {
		case <-look.C:
			if b, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && want.Match(b) {
				return
			}
		case <-late:
			ts.Fatalf("%s never had %s", args[0], args[1])
		}
	}
}

// until REGEXP PROGRAM ARGS… runs a program until its output matches.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP PROGRAM ARGS…")
	}
	want := regexp.MustCompile("(?m)" + args[0])
	for late := time.Now().Add(deadline); time.Now().Before(late); {
		if ts.Exec(args[1], args[2:]...) == nil && want.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("the output of %s never had %s", args[1], args[0])
}

// guarded [FAULT] starts a server that wants tokens, puts its URL into $URL and
// that of its authorization server into $ISSUER.
func guarded(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: guarded [FAULT]")
	}
	setup := oauthtest.Setup{Scope: "mcp", AdminScope: "mcp:admin", Clients: map[string]string{"robot": "secret"}}
	if len(args) == 1 {
		if args[0] != "resource" {
			ts.Fatalf("there is no fault %s", args[0])
		}
		setup.ResourceMetadata = func(d map[string]any) map[string]any {
			d["resource"] = "https://elsewhere.example/mcp"
			return d
		}
	}
	s := oauthtest.Start(setup)
	ts.Defer(s.Close)
	ts.Setenv("URL", s.URL())
	ts.Setenv("ISSUER", s.Issuer())
}

// demoHTTP [FAULT] starts mcptea demo --listen and puts its URL into $URL.
func demoHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: demohttp [FAULT]")
	}
	argv := []string{"demo", "--listen", "127.0.0.1:0"}
	if len(args) == 1 {
		argv = append(argv, "--fault", args[0])
	}
	ts.Setenv("URL", serving(ts, argv...))
}

// mockHTTP FLAG… FILE starts mcptea mock --listen and puts its URL into $MOCK_URL.
func mockHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: mock [FLAG…] FILE")
	}
	ts.Setenv("MOCK_URL", serving(ts, append([]string{"mock", "--listen", ":0"}, args...)...))
}

// tapHTTP FLAG… URL starts mcptea tap --listen and puts its URL into $TAP.
func tapHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: taphttp [FLAG…] URL")
	}
	ts.Setenv("TAP", serving(ts, append([]string{"tap", "--listen", "0"}, args...)...))
}

// authServe FLAG… starts mcptea auth serve --demo, and puts the issuer into $ISSUER and the URL of the server into $URL.
func authServe(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: authserve [FLAG…]")
	}
	urls := servingAll(ts, 2, append([]string{"auth", "serve", "--demo"}, args...)...)
	ts.Setenv("ISSUER", urls[0])
	ts.Setenv("URL", urls[1])
}

// serving starts mcptea as a server over HTTP and returns its URL. In the end it is
// interrupted and must exit with 0.
func serving(ts *testscript.TestScript, argv ...string) string { return servingAll(ts, 1, argv...)[0] }

// servingAll is like serving, but returns several URLs.
func servingAll(ts *testscript.TestScript, count int, argv ...string) (all []string) {
	path, err := exec.LookPath("mcptea")
	ts.Check(err)
	cmd := exec.Command(path, argv...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "XDG_STATE_HOME="+ts.Getenv("XDG_STATE_HOME"), "TAPTOKEN="+ts.Getenv("TAPTOKEN"))
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	urls := make(chan string, count)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if _, url, ok := strings.Cut(lines.Text(), "listens at "); ok {
				urls <- url
			}
		}
		ended <- cmd.Wait()
	}()
	ts.Defer(func() {
		interrupts := runtime.GOOS != "windows" // which has no signal for it
		if interrupts {
			ts.Check(cmd.Process.Signal(os.Interrupt))
		} else {
			ts.Check(cmd.Process.Kill())
		}
		select {
		case err := <-ended:
			if interrupts {
				ts.Check(err)
			}
		case <-time.After(deadline):
			_ = cmd.Process.Kill()
			ts.Fatalf("mcptea %s --listen did not end", argv[0])
		}
	})
	late := time.After(deadline)
	for len(all) < count {
		select {
		case url := <-urls:
			all = append(all, url)
		case <-late:
			ts.Fatalf("mcptea %s --listen did not print its URL", argv[0])
		}
	}
	return all
}
