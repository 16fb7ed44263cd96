//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"mcptea/internal/test/gobuild"
)

// BenchmarkProcess is how long whole commands take, from the start of the process to its end,
// by turns with the plainest command that does as much: ratios are of pairs, in which both
// met the same machine.
//
//	go test ./e2e -run - -bench Process -benchtime 5x -timeout 2h
func BenchmarkProcess(b *testing.B) {
	program(b) // built before the clock runs
	b.Run("version", func(b *testing.B) { pairs(b, []string{emptyProgram(b)}, []string{program(b), "--version"}) })
	b.Run("call", func(b *testing.B) {
		pairs(b, nil, []string{program(b), "call", "no-arguments", "--", program(b), "demo", "--serve"})
	})
	for _, frames := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
		b.Run("ingest/"+strconv.Itoa(frames), func(b *testing.B) { ingest(b, frames) })
	}
	for _, frames := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
		b.Run("recording/"+strconv.Itoa(frames), func(b *testing.B) {
			path := recordingOf(b, frames)
			b.Run("lint", func(b *testing.B) { pairs(b, []string{"wc", "-l", path}, []string{program(b), "lint", path}) })
			b.Run("export", func(b *testing.B) {
				pairs(b, []string{"cp", path, path + ".copy"}, []string{"sh", "-c", fmt.Sprintf(`rm -f %[1]q.out; exec %[2]q export %[1]q --to jsonl -o %[1]q.out`, path, program(b))})
			})
		})
	}
}

// ingest compares a call that brings so many notifications, which are recorded, with a pipe
// that keeps them in a file.
func ingest(b *testing.B, frames int) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv(hostileEnv, fmt.Sprintf("frames %d", frames))
	dir := b.TempDir()
	requests := filepath.Join(dir, "requests")
	const lines = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"go"}}` + "\n"
	if err := os.WriteFile(requests, []byte(lines), 0o600); err != nil {
		b.Fatal(err)
	}
	// The server ends with its input, which stays open until the response has come.
	piped := fmt.Sprintf(`{ cat %[1]q; sleep 1000 & echo $! >&3; } 3>%[2]q/pid | %[3]q | tee %[2]q/out | { grep -m1 -c '"id":2'; kill $(cat %[2]q/pid); }`, requests, dir, self)
	record := fmt.Sprintf(`rm -f %[1]q/r.jsonl*; exec %[2]q call go --protocol 2025-11-25 --timeout 10m --record %[1]q/r.jsonl --record-limit 0 -- %[3]q`, dir, program(b), self)
	pairs(b, []string{"bash", "-c", piped}, []string{"sh", "-c", record})
}

// pairs runs two commands by turns and reports the medians: of the time, of the memory at the
// most, and of the ratio of the times. The first may be nil.
func pairs(b *testing.B, plain, command []string) {
	b.Helper()
	var ms, ratio, memory, cpu []float64
	run := func(argv []string) (float64, *syscall.Rusage) {
		cmd := exec.CommandContext(b.Context(), argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+b.TempDir(), "XDG_CONFIG_HOME="+b.TempDir())
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		begin := time.Now()
		err := cmd.Run()
		took := time.Since(begin)
		if err != nil && cmd.ProcessState.ExitCode() != 1 { // findings, and what a closed pipe leaves
			b.Fatalf("%v: %v\n%s", argv, err, stderr.String())
		}
		usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		return 1000 * took.Seconds(), usage
	}
	for b.Loop() {
		base := 0.0
		if plain != nil {
			base, _ = run(plain)
		}
		took, usage := run(command)
		ms, memory = append(ms, took), append(memory, float64(usage.Maxrss)/1024)
		cpu = append(cpu, float64(usage.Utime.Nano()+usage.Stime.Nano())/1e6)
		if plain != nil {
			ratio = append(ratio, took/base)
		}
	}
	b.ReportMetric(median(ms), "ms")
	b.ReportMetric(median(cpu), "ms-cpu")
	b.ReportMetric(median(memory), "MB-peak")
	if plain != nil {
		b.ReportMetric(median(ratio), "x-plain")
	}
	b.ReportMetric(0, "ns/op")
}

// emptyProgram is a Go program that does nothing.
func emptyProgram(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	out := filepath.Join(dir, "empty")
	if err := gobuild.Run(b.Context(), ".", nil, "-o", out, source); err != nil {
		b.Fatal(err)
	}
	return out
}
