// Package worker runs command lines of the program in processes that stay alive: starting the program takes
// longer than most commands do.
//
// A worker is the program itself, started with [Variable] in its environment. It runs one command line after
// the other, each in its own directory, with its own environment and input, and reports the output and the exit
// code. Several workers run command lines in parallel. Tests of process properties (signals, process groups,
// closing pipes, terminals, the exit code that the system reports) need a separate process.
package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Variable makes a start of the program a worker, see [Asked].
const Variable = "MCPTEA_TEST_WORKER"

// Asked reports whether this process was started as a worker.
func Asked() bool { return os.Getenv(Variable) != "" }

// A Command is a command line. Args are without the name of the program, Env is the whole
// environment.
type Command struct {
	Args  []string
	Dir   string
	Env   []string
	Stdin string
}

// An Outcome is the output of a command line, and its exit code.
type Outcome struct {
	Stdout, Stderr []byte
	Code           int
}

// wire is a Command as it goes to a worker: texts need not be UTF-8, which strings of JSON are.
type wire struct {
	Args, Env  [][]byte
	Dir, Stdin []byte
}

// Serve runs the command lines on stdin until it ends, and writes their outcomes to stdout. run
// gets the streams of a command line and returns its exit code.
func Serve(run func(in, out, errs *os.File, args []string) int) error {
	commands, outcomes := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var c wire
		if err := commands.Decode(&c); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		o, err := c.run(run)
		if err != nil {
			return err
		}
		if err := outcomes.Encode(o); err != nil {
			return err
		}
	}
}

// run runs a command line in this process.
func (c wire) run(run func(in, out, errs *os.File, args []string) int) (o Outcome, err error) {
	if err := c.place(); err != nil {
		return o, err
	}
	in, out, errs, err := pipes()
	if err != nil {
		return o, err
	}
	var printed, failed bytes.Buffer
	var copying sync.WaitGroup
	copying.Go(func() {
		_, _ = in.to.Write(c.Stdin) // a command need not read all of it
		_ = in.to.Close()
	})
	copying.Go(func() { _, _ = io.Copy(&printed, out.from) })
	copying.Go(func() { _, _ = io.Copy(&failed, errs.from) })
	os.Stdin, os.Stdout, os.Stderr = in.from, out.to, errs.to
	o.Code = run(in.from, out.to, errs.to, texts(c.Args))
	_ = in.from.Close()
	_ = out.to.Close()
	_ = errs.to.Close()
	copying.Wait()
	_ = out.from.Close()
	_ = errs.from.Close()
	o.Stdout, o.Stderr = printed.Bytes(), failed.Bytes()
	return o, nil
}

// place applies the directory and the environment of a command line to the process.
func (c wire) place() error {
	os.Clearenv()
	for _, variable := range texts(c.Env) {
		if name, value, _ := strings.Cut(variable, "="); name != "" {
			if err := os.Setenv(name, value); err != nil {
				return err
			}
		}
	}
	return os.Chdir(string(c.Dir))
}

// A pipe is written at one end and read at the other.
type pipe struct{ from, to *os.File }

func pipes() (in, out, errs pipe, err error) {
	for _, p := range []*pipe{&in, &out, &errs} {
		if p.from, p.to, err = os.Pipe(); err != nil {
			return in, out, errs, err
		}
	}
	return in, out, errs, nil
}

// A Pool has the workers of a test binary, each started when it is first needed. Its methods may
// be called from any goroutine.
type Pool struct {
	program string
	slots   chan struct{} // one element for each running command line
	mu      sync.Mutex
	idle    []*process
}

// NewPool returns a pool of at most size workers of a program. The program is looked up in PATH when a worker
// is started. Commands that wait leave the processor to others, so size may exceed the number of processors.
func NewPool(program string, size int) *Pool {
	return &Pool{program: program, slots: make(chan struct{}, size)}
}

// take returns the idle worker that was used last, or starts one.
func (p *Pool) take() (*process, error) {
	p.slots <- struct{}{}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return w, nil
	}
	return start(p.program)
}

func (p *Pool) put(w *process) {
	p.mu.Lock()
	p.idle = append(p.idle, w)
	p.mu.Unlock()
}

// Run runs a command line in the next free worker. An error means that the command line has no outcome: it
// ended its process, or the worker could not be started.
func (p *Pool) Run(c Command) (o Outcome, err error) {
	w, err := p.take()
	defer func() { <-p.slots }()
	if err != nil {
		return o, err
	}
	if o, err = w.run(c); err == nil {
		p.put(w)
	}
	return o, err
}

// Close ends the workers. No command line may be running, and none may follow.
func (p *Pool) Close() error {
	var all error
	for _, w := range p.idle {
		_ = w.stdin.Close()
		all = errors.Join(all, w.cmd.Wait())
	}
	p.idle = nil
	return all
}

// limit bounds a command line. It is far above the duration of any command on a busy machine.
const limit = 3 * time.Minute

// A process is a worker that runs.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	out   *json.Encoder
	in    *json.Decoder
}

func start(program string) (*process, error) {
	cmd := exec.Command(program)
	// What one command leaves is collected while the next ones run; the program collects late, too.
	cmd.Env = append(os.Environ(), Variable+"=1", "GOGC=400")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd: cmd, stdin: stdin, out: json.NewEncoder(stdin), in: json.NewDecoder(stdout)}, nil
}

func (w *process) run(c Command) (o Outcome, err error) {
	err = w.out.Encode(wire{Args: raw(c.Args), Env: raw(c.Env), Dir: []byte(c.Dir), Stdin: []byte(c.Stdin)})
	if err == nil {
		// A command that waits forever would hold the test binary until its own limit, whose message does not
		// name the command.
		late := time.AfterFunc(limit, func() { _ = w.cmd.Process.Kill() })
		err = w.in.Decode(&o)
		if !late.Stop() && err != nil {
			err = fmt.Errorf("it has not ended within %s: %w", limit, err)
		}
	}
	if err != nil {
		_ = w.stdin.Close()
		_ = w.cmd.Wait() // the error contains its state
		return o, fmt.Errorf("mcptea %s ended its process (%v): run it with exec: %w", strings.Join(c.Args, " "), w.cmd.ProcessState, err)
	}
	return o, nil
}

func raw(all []string) [][]byte {
	list := make([][]byte, len(all))
	for i, text := range all {
		list[i] = []byte(text)
	}
	return list
}

func texts(all [][]byte) []string {
	list := make([]string, len(all))
	for i, text := range all {
		list[i] = string(text)
	}
	return list
}
