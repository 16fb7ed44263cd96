package attach

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// A command that listens gets the notifications that the process receives, each in a line, and
// none of the progress of others.
func TestServe_Notifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, conn, lines, ended := serveSilent(t)
		go func() { _, _ = conn.Write([]byte(notificationsLine + "\n")) }()
		synctest.Wait()
		s.notify(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}`)
		s.notify("{\"jsonrpc\":\"2.0\",\n \"method\":\"notifications/tools/list_changed\"}")
		if line, err := lines.ReadString('\n'); err != nil || line != `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n" {
			t.Errorf("%q, %v", line, err)
		}
		_ = conn.Close()
		<-ended
		if s.each != nil {
			t.Error("the connection is still listened to")
		}
	})
}

// A command that does not say so gets none.
func TestServe_NotificationsAreAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, conn, _, ended := serveSilent(t)
		_, _ = conn.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
		synctest.Wait()
		if s.each != nil {
			t.Error("the connection is listened to")
		}
		_ = conn.Close()
		<-ended
	})
}

// A command that does not read is not served any more: it would miss notifications, and the
// process would keep them.
func TestServe_NotificationsOfASlowCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, conn, lines, ended := serveSilent(t)
		go func() { _, _ = conn.Write([]byte(notificationsLine + "\n")) }()
		synctest.Wait()
		for i := range 2 * queueSize {
			s.notify(fmt.Sprintf(`{"jsonrpc":"2.0","method":"n%d"}`, i))
		}
		<-ended
		n := 0
		for ; ; n++ {
			if _, err := lines.ReadString('\n'); err != nil {
				break
			}
		}
		if n > queueSize {
			t.Errorf("%d notifications were kept", n)
		}
	})
}

// At most so many commands listen; a further one ends.
func TestServe_TooManyListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, conn, lines, ended := serveSilent(t)
		s.full = true
		_, _ = conn.Write([]byte(notificationsLine + "\n"))
		if _, err := lines.ReadString('\n'); err == nil {
			t.Error("the command is served")
		}
		<-ended
	})
}
