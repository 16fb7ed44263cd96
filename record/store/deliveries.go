package store

import (
	"bytes"
	"fmt"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

// KindDelivery is the kind of a row for a POST to the callback of a webhook. The direction is In,
// the body is the body of the POST, Status is the status of the response, and Method is the name of
// the event. [Store.DeliveryOf] returns the headers.
const KindDelivery jsonrpc.Kind = 18

// deliveries holds the rows of all deliveries, and finds the requests that subscribed to them.
type deliveries struct {
	rows      []int32
	callbacks record.Callbacks
}

// delivery returns the row of a delivery; i is the number of the row. at is the offset of its line,
// and size is the length of the line. The caller holds the lock.
func (s *Store) delivery(e *record.Event, i int32, at int64, size int) Row {
	p, d := e.PayloadIn(size), e.Delivery
	r := Row{
		Time: e.Time.UnixNano(), code: int64(d.Status), off: at + int64(p.Offset), Size: uint32(len(e.Text)), Pair: None,
		Conn: s.connOf(e.ConnBeside()), Kind: KindDelivery, Dir: transport.In, Method: s.methods.index([]byte(d.Name([]byte(e.Text)))),
		id: span{start: uint32(p.Offset), base64: p.Base64}, // no id, so IDOf returns an empty one
	}
	if of, ok := s.deliveries.callbacks.Of(d); ok {
		r.cause = s.root(of) + 1
		s.newest(r.cause-1, i)
	}
	s.deliveries.rows = append(s.deliveries.rows, i)
	return r
}

// DeliveryOf returns the data of a delivery, without its body.
func (s *Store) DeliveryOf(i int32) (record.Delivery, error) {
	r, ok := s.Row(i)
	if !ok || r.Kind != KindDelivery {
		return record.Delivery{}, fmt.Errorf("row %d is not a delivery", i+1)
	}
	return s.readDelivery(&r)
}

// withHeaders returns the body of a delivery, its headers, and its outcome.
func (s *Store) withHeaders(r *Row, body []byte) []byte {
	d, err := s.readDelivery(r)
	if err != nil {
		return body
	}
	text := append(bytes.Clone(body), "\n"+d.Line()...)
	for _, field := range d.Fields() {
		text = append(text, "\n"+field[0]+": "+field[1]...)
	}
	return text
}

func (s *Store) readDelivery(r *Row) (record.Delivery, error) {
	line := make([]byte, r.id.start)
	if err := s.journal.read(line, r.off-int64(r.id.start)); err != nil {
		return record.Delivery{}, err
	}
	end := "0}"
	if r.id.base64 {
		end = `"}`
	}
	return record.DeliveryIn(append(line, end...)), nil
}

// passes sets the number of earlier deliveries in an event that refers to a row. The caller holds
// the lock.
func (s *Store) passes(e *record.Event) {
	row, ok := e.About()
	if e.Kind == record.KindMark {
		row, ok = e.Mark.Row, true
	}
	if ok {
		e.Past = record.Past(s.deliveries.rows, row)
	}
}
