package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/offer/diff"
	"mcptea/record/store"
)

// Difference is a request of two recordings whose responses differ, or that only one
// of them has.
type Difference struct {
	Pair
	Subject string // the name of the tool or prompt, or the URI; empty for other methods
	Comparison
}

// A Comparison holds the differences of two responses: the members that differ, and the lines of both as a
// diff.
type Comparison struct {
	// Note explains an empty Differences: why the JSON was not compared, or how many
	// differences were left out to bound the memory. It is "" if there are Differences.
	Note        string
	Differences []diff.Difference
	More        int        // differences that are not in Differences
	Rows        []diff.Row // the lines
}

// Kind returns [diff.Changed] if both recordings have the request.
func (d *Difference) Kind() diff.Kind {
	switch {
	case d.Old == nil:
		return diff.Added
	case d.New == nil:
		return diff.Removed
	}
	return diff.Changed
}

// Compare returns the requests whose responses differ. It leaves out the responses that contain the
// server's offer: see [Transcript.Server]. The error comes from a store or the context.
func Compare(ctx context.Context, old, now *Transcript, o diff.Options) ([]Difference, error) {
	var all []Difference
	for _, pair := range align(old, now) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		d, differs, err := compareResponse(old, now, pair, o)
		if err != nil {
			return nil, err
		}
		if differs {
			if len(all) >= maxDetailed && d.Note == "" {
				d.summarize()
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// CompareFiles compares two recordings: what their servers offer, and the responses to the
// same requests.
func CompareFiles(ctx context.Context, paths [2]string, o diff.Options) (offers []diff.Change, responses []Difference, err error) {
	var turns [2]*Transcript
	var servers [2]diff.Server
	for i, path := range paths {
		st, err := store.Open(path)
		if err != nil {
			return nil, nil, err
		}
		defer func() { _ = st.Close() }()
		if err = st.Load(ctx); err != nil {
			return nil, nil, err
		}
		if turns[i], err = Read(ctx, st); err != nil {
			return nil, nil, err
		}
		if servers[i], err = turns[i].Server(); err != nil {
			return nil, nil, err
		}
	}
	responses, err = Compare(ctx, turns[0], turns[1], o)
	return diff.Servers(servers[0], servers[1]), responses, err
}

// maxDetailed bounds the differences of [Compare] with details.
const maxDetailed = 1000

// summarize replaces the details by their number.
func (d *Comparison) summarize() {
	if n := len(d.Differences) + d.More; n > 0 {
		d.Note = fmt.Sprintf("%d differences", n)
		if n == 1 {
			d.Note = "1 difference"
		}
		d.Differences, d.More, d.Rows = nil, n, nil
	}
}

func compareResponse(old, now *Transcript, pair Pair, o diff.Options) (d Difference, differs bool, err error) {
	d.Pair = pair
	from, turn := now, pair.New
	if turn == nil {
		from, turn = old, pair.Old
	}
	params, err := from.params(turn.Row)
	if err != nil {
		return d, false, err
	}
	d.Subject = subjectOf(params)
	switch {
	case pair.Old == nil || pair.New == nil:
		return d, !revision.IsHandshake(turn.Method), nil // the protocol version decides which one is sent
	case !pair.Old.hasResponse() && !pair.New.hasResponse():
		return d, false, nil
	case !pair.New.hasResponse():
		d.Note = "the second one has no response"
		return d, true, nil
	case !pair.Old.hasResponse():
		d.Note = "the first one has no response"
		return d, true, nil
	}
	a, err := old.Frame(pair.Old.Response)
	if err != nil {
		return d, false, err
	}
	b, err := now.Frame(pair.New.Response)
	if err != nil || isOffer(pair.New.Method) && isResult(a) && isResult(b) {
		return d, false, err
	}
	d.Comparison, differs = compare(a, b, o)
	return d, differs, nil
}

// compare compares two responses, and reports whether they differ.
func compare(old, now []byte, o diff.Options) (c Comparison, differs bool) {
	var err error
	if c.Differences, c.More, err = diff.Compare(old, now, o); errors.Is(err, diff.ErrNotJSON) && !bytes.Equal(old, now) {
		c.Note = "the bytes differ, and are not valid JSON"
		return c, true
	}
	if len(c.Differences) == 0 {
		return c, false
	}
	c.Rows, _ = diff.Rows(old, now, o)
	return c, true
}

func isResult(response []byte) bool { return jsonrpc.Scan(response).Result.Present() }
