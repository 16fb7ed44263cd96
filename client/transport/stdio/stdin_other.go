//go:build !linux

package stdio

func (t *Transport) lookAtStdin(int) (s Stdin, ok bool) { return Stdin{}, false }
