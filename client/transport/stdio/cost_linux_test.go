package stdio

import (
	"bufio"
	"os/exec"
	"testing"
	"time"
)

// The cost of a server includes the processor time of its descendants, ended ones too, and its memory.
func TestCostOf_Descendants(t *testing.T) {
	// The inner shell counts until it has used processor time, and ends.
	cmd := exec.Command("sh", "-c", `sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; echo done; read x`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cost, ok := CostOf(cmd.Process.Pid)
	if !ok || cost.CPU < 10*time.Millisecond || cost.Memory < 64<<10 {
		t.Errorf("%+v, %v", cost, ok)
	}
	_ = in.Close()
	_ = cmd.Wait() // read fails at the end of the input, so the shell exits with 1
	if _, ok := CostOf(cmd.Process.Pid); ok {
		t.Error("a process that has ended has a cost")
	}
}

func TestFreeMemory_OfThisMachine(t *testing.T) {
	if free := FreeMemory(); free <= 0 {
		t.Errorf("%d bytes", free)
	}
}
