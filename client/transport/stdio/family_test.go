//go:build unix

package stdio

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcptea/client/transport"
)

// daemons are servers that leave a process behind: it prints the id of that, and ends at the
// end of stdin.
var daemons = map[string]func(){
	"leaves-daemon": func() { // in a session of its own, with the server as its parent
		daemon := exec.Command("sleep", "300")
		daemon.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		_ = daemon.Start()
		fmt.Println(daemon.Process.Pid)
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	"leaves-child": func() { // in its process group
		child := exec.Command("sleep", "300")
		_ = child.Start()
		fmt.Println(child.Process.Pid)
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	"leaves-holder": func() { // in its process group, with its stdout
		child := exec.Command("sleep", "300")
		child.Stdout = os.Stdout
		_ = child.Start()
		fmt.Println(child.Process.Pid)
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	"leaves-orphan": func() { // in a session of its own, its parents have ended
		parent := exec.Command(os.Args[0])
		parent.Env = append(os.Environ(), behaviour+"=orphans")
		out, _ := parent.Output()
		_, _ = os.Stdout.Write(out)
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	// The parent of leaves-orphan: Start returns when the other program runs, in its session. (A
	// shell would tell the id of a process that is in the server's group still.)
	"orphans": func() {
		orphan := exec.Command("sleep", "300")
		orphan.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		_ = orphan.Start()
		fmt.Println(orphan.Process.Pid)
	},
	"late-child": func() { // ends a moment after the server
		child := exec.Command("sleep", "0.1")
		_ = child.Start()
		fmt.Println(child.Process.Pid)
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
}

func TestLeft_IsReported(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are listed in other ways")
	}
	for _, c := range []struct {
		server, want string
		give         time.Duration
		mark, kill   bool
	}{
		{"leaves-daemon", "exited apart, killed group apart", 0, false, false},
		{"leaves-daemon", "exited apart", 0, false, true},
		{"leaves-child", "exited", 0, false, false},
		{"leaves-holder", "exited", 0, false, false},
		{"leaves-orphan", "exited apart, killed group apart", 0, true, false},
		{"late-child", "", 24 * time.Hour, false, false},
	} {
		t.Run(fmt.Sprint(c.server, c.kill), func(t *testing.T) {
			cfg := Config{Argv: []string{os.Args[0]}, Env: append(os.Environ(), behaviour+"="+c.server), Grace: time.Minute, KillLeft: c.kill}
			if c.mark {
				cfg.Mark = "MCPTEA_TEST_MARK=" + strconv.FormatInt(time.Now().UnixNano(), 36)
				cfg.Env = append(cfg.Env, cfg.Mark)
			}
			// It was there before, with the name of what is left and in the group of the client.
			before := exec.Command("sleep", "300")
			if err := before.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = before.Process.Kill(); _ = before.Wait() }()
			tr, r := New(cfg), newTape()
			if err := tr.Open(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			r.await(t, "the id of the process", func() bool { return len(r.incoming()) > 0 })
			pid, err := strconv.Atoi(strings.Split(r.incoming()[0], "|")[0])
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
			if c.give > 0 {
				tr.Watch(c.give, false)
			}
			if err := tr.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range r.events {
				if e.What != transport.ProcessLeft {
					continue
				}
				if len(e.Left) != 1 || e.Left[0].PID != pid || !strings.Contains(strings.Join(e.Left[0].Argv, " "), "sleep 300") {
					t.Errorf("left are %+v, want the process %d", e.Left, pid)
					continue
				}
				words := e.After
				if e.Left[0].Apart {
					words += " apart"
				}
				got = append(got, words)
			}
			if have := strings.Join(got, ", "); have != c.want {
				t.Errorf("left behind: %q, want %q", have, c.want)
			}
			if !alive(before.Process.Pid) {
				t.Error("a process that was there before was ended")
			}
			if apart := strings.Contains(c.want, "killed group"); alive(pid) != apart {
				t.Errorf("alive is %v, want %v", alive(pid), apart)
			}
		})
	}
}

// Another process that has the id by now is not ended.
func TestEnd_OtherStart(t *testing.T) {
	other := exec.Command("sleep", "300")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	(&group{}).end(entry{pid: other.Process.Pid, start: 1})
	if !alive(other.Process.Pid) {
		t.Error("a process with another start was ended")
	}
}

// The processes of a system that lists them have this one, with the one that started it and its group.
func TestProcesses_HasThisOne(t *testing.T) {
	all := processes()
	if listed := runtime.GOOS == "linux" || runtime.GOOS == "darwin"; len(all) > 0 != listed {
		t.Fatalf("on %s %d processes are listed", runtime.GOOS, len(all))
	} else if !listed {
		return
	}
	for _, e := range all {
		if e.pid == os.Getpid() {
			if e.parent != os.Getppid() || e.group != syscall.Getpgrp() || e.start == 0 || e.ended {
				t.Errorf("%+v, started by %d in group %d", e, os.Getppid(), syscall.Getpgrp())
			}
			return
		}
	}
	t.Errorf("%d is not among %d processes", os.Getpid(), len(all))
}
