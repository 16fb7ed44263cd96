package oauth

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/step"
)

// unlockable is a store whose locks cannot be taken.
type unlockable struct {
	Memory
	err error
}

func (u *unlockable) Lock(string) (func(), error) { return nil, u.err }

func waitingFlow(s Store, report func(step.Step)) *flow {
	a := &Authorizer{cfg: Config{Store: s, Timeout: 30 * time.Second}, server: &url.URL{Scheme: "https", Host: "mcp.example.com"}}
	return &flow{a: a, cfg: &a.cfg, list: step.NewList(1, report)}
}

func TestLockRefresh_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last step.Step
		f := waitingFlow(&unlockable{}, func(s step.Step) { last = s })
		start := time.Now()
		remark := f.lockRefresh(t.Context())
		if waited := time.Since(start); waited != 30*time.Second || f.unlock != nil {
			t.Errorf("waited %s, locked %t", waited, f.unlock != nil)
		}
		const want = "another process has used the refresh token for 30 s; not waiting longer"
		if remark != want || last.Name != StepLoad || last.State != step.Done || last.Detail != want {
			t.Errorf("remark %q, step %+v", remark, last)
		}
	})
}

func TestLockRefresh_Error(t *testing.T) {
	f := waitingFlow(&unlockable{err: errors.New("read-only file system")}, nil)
	if remark := f.lockRefresh(t.Context()); remark != "cannot lock the refresh token: read-only file system" || f.unlock != nil {
		t.Errorf("remark %q", remark)
	}
}

// slowLock is a store whose lock is taken after the caller has left.
type slowLock struct {
	Memory
	wait chan struct{}
}

func (s *slowLock) Lock(name string) (func(), error) {
	<-s.wait
	return s.Memory.Lock(name)
}

func TestTryLock_ReleasedAfterCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowLock{wait: make(chan struct{})}
		f := waitingFlow(s, nil)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if release, err := f.tryLock(ctx, "name"); release != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("locked %t, %v", release != nil, err)
		}
		close(s.wait)
		synctest.Wait()
		if release, err := s.Memory.Lock("name"); release == nil || err != nil {
			t.Errorf("the lock is still held, %v", err)
		}
	})
}

// The key of a stored token is used when the token is, and not when a flow reads the store.
func TestChooseStored_KeepsKeyOfCurrentToken(t *testing.T) {
	var stored dpopSigner
	to := &url.URL{Scheme: "https", Host: "mcp.example.com"}
	f := waitingFlow(&Memory{}, nil)
	f.a.issued, f.a.clients = map[string]int{}, map[string]Client{}
	for _, p := range []*dpopSigner{&stored, &f.a.signer} {
		if _, err := p.proof("POST", to, ""); err != nil {
			t.Fatal(err)
		}
	}
	current := f.a.signer.key
	entry := StoredToken{Issuer: "https://as.example.com", Token: Token{Access: "a", Type: "DPoP", Key: stored.marshalKey()}}
	broken := entry
	broken.Token.Key = []byte("no key")
	h, ok := f.chooseStored([]StoredToken{broken, entry})
	if !ok || !f.a.signer.key.Equal(current) {
		t.Fatalf("chosen %t, key replaced %t", ok, !f.a.signer.key.Equal(current))
	}
	if f.a.use(h); !f.a.signer.key.Equal(stored.key) {
		t.Error("the token is used without its key")
	}
}
