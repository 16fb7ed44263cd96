package jq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/itchyny/gojq"
)

// workerWord is an argument. With it, this program only runs filters.
const workerWord = "run-jq-filters"

const (
	// exitMemory and exitTime are the exit codes of a process that has reached a bound.
	exitMemory, exitTime = 90, 91
	// watchInterval is the interval between checks of the memory use. In that time, a process can
	// exceed the bound.
	watchInterval = 2 * time.Millisecond
	// timeGrace is the time that a step of a filter gets beyond its time limit.
	timeGrace = 500 * time.Millisecond
)

func init() { // runs before the rest of the program, even if a test binary is the program
	if len(os.Args) == 2 && os.Args[1] == workerWord {
		signal.Ignore(os.Interrupt) // interrupts come from the terminal; the parent ends this process
		serve(os.Stdin, os.Stdout)
		os.Exit(0)
	}
}

// serve answers commands until stdin ends.
func serve(in io.Reader, out io.Writer) {
	var input any
	var known *order
	for {
		c, payload, err := readFrame(in, maxRequest)
		if err != nil {
			return
		}
		switch c {
		case inputFrame:
			limit(maxMemory(len(payload)))
			input, err = decode(payload)
			if err != nil {
				write(out, errorFrame, []byte(err.Error()))
				continue
			}
			known = newOrder(payload)
			write(out, doneFrame, nil)
		case namesFrame:
			text := string(payload)
			names, from := namesIn(input, text)
			b, _ := json.Marshal(proposal{names, from}) // strings never fail to encode
			write(out, doneFrame, b)
		case runFrame:
			var r request
			if json.Unmarshal(payload, &r) != nil {
				return
			}
			write(out, doneFrame, []byte(r.run(input, known, out)))
		}
	}
}

// memory is the bound of this process, in bytes.
var memory atomic.Int64

// limit sets the memory bound of this process. Below it, the garbage collector works harder.
func limit(bound int64) {
	debug.SetMemoryLimit(bound - bound/8)
	if memory.Swap(bound) == 0 {
		go watch()
	}
}

// watch ends the process when it takes more memory than it may, whatever it does.
func watch() {
	parent := os.Getppid()
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for {
		metrics.Read(samples)
		if samples[0].Value.Uint64()-samples[1].Value.Uint64() > uint64(memory.Load()) {
			os.Exit(exitMemory)
		}
		if os.Getppid() != parent { // the parent was killed
			os.Exit(0)
		}
		time.Sleep(watchInterval)
	}
}

// within returns a context with a time limit. If a step ignores the context, the process exits after the limit.
// 0 means no limit.
func within(most time.Duration) (ctx context.Context, stop func()) {
	if most == 0 {
		return context.Background(), func() {}
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	timer := time.AfterFunc(most+timeGrace, func() { os.Exit(exitTime) })
	return ctx, func() {
		timer.Stop()
		cancel()
	}
}

// decode decodes a JSON value and keeps numbers as sent.
func decode(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// run writes the output of the filter for a value. It returns how the run ended: a key of [ends], or the text
// of an error.
func (r *request) run(input any, known *order, out io.Writer) string {
	query, code, err := compile(r.Filter)
	if err != nil {
		return err.Error()
	}
	written := known.of(query)
	ctx, stop := within(r.MaxTime)
	defer stop()
	made, values, size := code.RunWithContext(ctx, input), 0, 0
	for v, ok := made.Next(); ok; v, ok = made.Next() {
		if err, failed := v.(error); failed {
			halt, halts := errors.AsType[*gojq.HaltError](err)
			switch {
			case halts && halt.Value() == nil:
				return ""
			case ctx.Err() != nil:
				return endOfTime
			}
			return err.Error()
		}
		b, err := written.append(nil, v)
		if err != nil {
			return err.Error()
		}
		values, size = values+1, size+len(b)
		if r.MaxValues > 0 && (values > r.MaxValues || size > r.MaxSize) {
			return endOfValues
		}
		if len(b) > maxValue {
			return endOfValue
		}
		write(out, valueFrame, b)
	}
	return ""
}
