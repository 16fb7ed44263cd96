package wiremutant

import (
	"bufio"
	"context"
	"io"
	"sync"
	"time"
)

// Stdio returns a server over lines whose messages go through the wire. It can run in a testing/synctest
// bubble.
func (w *Wire) Stdio(serve func(ctx context.Context, in io.Reader, out io.Writer) error) func(ctx context.Context, in io.Reader, out io.Writer) error {
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		s := w.process()
		toServer, fromClient := io.Pipe()
		fromServer, toClient := io.Pipe()
		one := make(chan struct{}, 1) // in a bubble, time passes while a goroutine waits for a channel, but not for a lock
		var all sync.WaitGroup
		write := func(to io.Writer, lines []string) {
			one <- struct{}{}
			defer func() { <-one }()
			for _, line := range lines {
				_, _ = io.WriteString(to, line+"\n")
			}
		}
		later := func(to io.Writer) func(time.Duration, func() string) {
			return func(d time.Duration, line func() string) {
				all.Go(func() {
					select {
					case <-time.After(d):
						if line := line(); line != "" {
							write(to, []string{line})
						}
					case <-ctx.Done():
					}
				})
			}
		}
		s.open(func(line string) {
			all.Go(func() { write(out, []string{line}) })
		}, func(line string) {
			all.Go(func() { _, _ = io.WriteString(fromClient, line+"\n") })
		})
		all.Go(func() {
			_ = serve(ctx, toServer, toClient)
			_ = toClient.Close()
			_ = toServer.Close()
		})
		all.Go(func() {
			lines(fromServer, func(line []byte) error {
				write(out, s.through(FromServer, line, later(out)))
				return nil
			})
			if c, ok := in.(io.Closer); ok {
				_ = c.Close() // the server has ended
			}
		})
		lines(in, func(line []byte) error {
			for _, line := range s.through(FromClient, line, later(fromClient)) {
				if _, err := io.WriteString(fromClient, line+"\n"); err != nil {
					return err
				}
			}
			return nil
		})
		s.close()
		_ = fromClient.Close()
		all.Wait()
		return nil
	}
}

// lines calls do for each line until one of them fails or the input ends.
func lines(in io.Reader, do func(line []byte) error) {
	r := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 && do(line) != nil || err != nil {
			return
		}
	}
}
