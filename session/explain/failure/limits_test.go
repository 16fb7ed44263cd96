package failure

import (
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"mcptea/client/transport/stdio"
)

func TestFailure_TooManyOpenFiles(t *testing.T) {
	for _, err := range []error{
		&stdio.StartError{Command: "srv", Err: os.NewSyscallError("pipe2", syscall.EMFILE)},
		fmt.Errorf("POST http://h/: %w", &net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}),
	} {
		e := Explain(err, Facts{})
		if !strings.Contains(e.Sentence, "too many open files") || !strings.Contains(e.Cause(), "limit") || !strings.Contains(e.Try(), "ulimit -n") {
			t.Errorf("%v is explained as\n%s", err, e.Text())
		}
	}
}
