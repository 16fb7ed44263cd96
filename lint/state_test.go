package lint

import (
	"testing"

	"mcptea/client/transport"
)

func TestNewestRepeat_FollowsRepeatedExchanges(t *testing.T) {
	st := newState(HTTP)
	for _, x := range []transport.Exchange{{ID: 1, Status: 401}, {ID: 2, Status: 200}, {ID: 3, Repeats: 1, Status: 307}, {ID: 5, Repeats: 3, Status: 400}} {
		st.Exchanges[x.ID] = &Exchange{Exchange: x}
	}
	for id, want := range map[uint32]int{1: 400, 2: 200, 5: 400} {
		if x := st.NewestRepeat(id); x.Status != want {
			t.Errorf("exchange %d was decided by HTTP %d, want %d", id, x.Status, want)
		}
	}
	if st.NewestRepeat(9) != nil {
		t.Error("an exchange that is not there")
	}
}
