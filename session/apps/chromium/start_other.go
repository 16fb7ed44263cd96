//go:build !unix

package chromium

import "errors"

// start is not supported: a process gets no further descriptors here.
func (b *Browser) start() error {
	return errors.New("this system has no pipes for the DevTools protocol")
}

func (b *Browser) kill() {}
