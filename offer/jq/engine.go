package jq

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"time"

	"mcptea/internal/system/argument"
)

// The bounds of a run that is shown: a filter may make values without end.
const (
	maxValues = 1000
	maxSize   = 4 << 20 // bytes of the values in all
	maxTime   = 2 * time.Second
)

// maxMemory returns the maximum memory of a filter, in bytes, for an input of the given size. A table of small
// objects takes twenty times its size.
func maxMemory(input int) int64 { return 128<<20 + 8*int64(input) }

var (
	// errMore is returned if a filter produces more than the bounds allow.
	errMore = fmt.Errorf("more than %d values or %d MB; the first ones are shown", maxValues, maxSize>>20)
	errTime = fmt.Errorf("the filter takes longer than %v", maxTime)
	// errValue is about one value.
	errValue = fmt.Errorf("the filter makes a value of more than %d MB", maxValue>>20)
)

// Engine runs filters on a JSON value. Its zero value is ready for use, and must be closed after it.
// It is not safe for concurrent use.
type Engine struct {
	raw     []byte // the input
	cmd     *exec.Cmd
	in, out *os.File // the stdin and stdout of cmd
}

// Load sets the input for later calls. The engine keeps the bytes, which must not change. The error says that
// it is invalid JSON, or why it was not read.
func (e *Engine) Load(ctx context.Context, raw []byte) error {
	e.raw = raw
	if e.cmd == nil {
		return e.start(ctx)
	}
	return e.load(ctx)
}

// start starts the process that runs filters, with the input.
func (e *Engine) start(ctx context.Context) error {
	cmd, err := argument.Self(argument.Own(workerWord))
	if err != nil {
		return err
	}
	stdin, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return errors.Join(err, stdin.Close(), in.Close())
	}
	cmd.Stdin, cmd.Stdout = stdin, stdout
	cmd.Env = environment()
	err = cmd.Start()
	_, _ = stdin.Close(), stdout.Close() // the process has copies of these files
	if err != nil {
		return errors.Join(fmt.Errorf("the filter cannot be run: %w", err), in.Close(), out.Close())
	}
	e.cmd, e.in, e.out = cmd, in, out
	return e.load(ctx)
}

// environment returns the environment of the filter process: only the time zone, and SYSTEMROOT.
func environment() []string {
	kept := []string{}
	for _, name := range []string{"TZ", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}

// load sends the input.
func (e *Engine) load(ctx context.Context) error {
	for kind, text := range e.ask(ctx, inputFrame, e.raw) {
		switch kind {
		case errorFrame, failed:
			return errors.New(string(text))
		}
	}
	return context.Cause(ctx)
}

// failed is the kind of the frame that [Engine.ask] returns for a process that has ended.
const failed = 0

// ask sends a frame and yields the frames of the response. If the context is done, or the caller stops early,
// it kills the process.
func (e *Engine) ask(ctx context.Context, kind byte, payload []byte) iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		cmd := e.cmd
		stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
		defer stop()
		// If the process has ended, the write fails and the read below reports how it ended.
		if _, err := e.in.Write(appendHead(nil, kind, len(payload))); err == nil {
			_, _ = e.in.Write(payload)
		}
		var err error
		for {
			var kind byte
			var text []byte
			if kind, text, err = readFrame(e.out, maxRequest); err != nil {
				break
			}
			wanted := yield(kind, text)
			if kind == doneFrame || kind == errorFrame {
				return
			}
			if !wanted {
				e.Close()
				return
			}
		}
		code := e.end()
		if cause := context.Cause(ctx); cause != nil {
			yield(failed, []byte(cause.Error()))
			return
		}
		yield(failed, []byte(e.ended(code, err)))
	}
}

// ended describes why the process has ended by itself.
func (e *Engine) ended(code int, err error) string {
	switch code {
	case exitMemory:
		return fmt.Sprintf("the filter takes more than %d MB of memory", maxMemory(len(e.raw))>>20)
	case exitTime:
		return errTime.Error()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) {
		return fmt.Sprintf("the filter failed with exit code %d", code)
	}
	return err.Error()
}

// end kills the process, if there is one, and returns its exit code.
func (e *Engine) end() (code int) {
	if e.cmd == nil {
		return 0
	}
	_ = e.cmd.Process.Kill() // a process that has exited keeps its code
	_, _ = e.in.Close(), e.out.Close()
	_ = e.cmd.Wait() // the exit code shows the reason
	code = e.cmd.ProcessState.ExitCode()
	e.cmd = nil
	return code
}

// Close ends the process. The engine can be used again.
func (e *Engine) Close() {
	e.end()
}

// Values yields the output values of the filter as JSON, until an error. Only memory is bounded: there may be
// infinitely many values.
func (e *Engine) Values(ctx context.Context, q *Query) iter.Seq2[[]byte, error] {
	return e.values(ctx, request{Filter: q.text})
}

func (e *Engine) values(ctx context.Context, r request) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if e.cmd == nil {
			if err := e.start(ctx); err != nil {
				yield(nil, err)
				return
			}
		}
		b, err := json.Marshal(r)
		if err != nil {
			yield(nil, err)
			return
		}
		for kind, text := range e.ask(ctx, runFrame, b) {
			switch kind {
			case valueFrame:
				if !yield(text, nil) {
					return
				}
			default:
				if err := endOf(string(text)); err != nil {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// endOf returns the error that ended a run, or nil if it was complete.
func endOf(text string) error {
	switch text {
	case "":
		return nil
	case endOfTime:
		return errTime
	case endOfValues:
		return errMore
	case endOfValue:
		return errValue
	}
	return errors.New(text)
}

// Run returns the output values of the filter as JSON, within bounds. If there is an error, it returns the
// values up to then.
func (e *Engine) Run(ctx context.Context, q *Query) (values [][]byte, err error) {
	for v, err := range e.values(ctx, request{Filter: q.text, MaxValues: maxValues, MaxSize: maxSize, MaxTime: maxTime}) {
		if err != nil {
			return values, err
		}
		values = append(values, v)
	}
	return values, nil
}

// Names returns the members that can complete a filter that ends with a dot and the start of a name, and the
// offset of that name. It returns none for other filters. The names are untrusted.
func (e *Engine) Names(ctx context.Context, text string) (names []string, from int) {
	if e.cmd == nil && e.start(ctx) != nil {
		return nil, len(text)
	}
	for kind, b := range e.ask(ctx, namesFrame, []byte(text)) {
		var p proposal
		if kind == doneFrame && json.Unmarshal(b, &p) == nil {
			return p.Names, p.From
		}
	}
	return nil, len(text)
}
