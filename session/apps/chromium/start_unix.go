//go:build unix

package chromium

import (
	"errors"
	"os"
	"syscall"
)

// start starts the browser in a separate process group, with the pipes as descriptors 3 and 4.
func (b *Browser) start() error {
	in, to, err := os.Pipe()
	if err != nil {
		return err
	}
	from, out, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close(), to.Close())
	}
	b.pipe, b.from = to, from
	b.cmd.ExtraFiles = []*os.File{in, out}
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = b.cmd.Start()
	_, _ = in.Close(), out.Close() // the browser has its own
	if err != nil {
		_, _ = to.Close(), from.Close()
	}
	return err
}

func (b *Browser) kill() { _ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL) } // the process may have ended
