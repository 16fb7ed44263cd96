//go:build !unix

package chromium

import "errors"

// start is not supported: processes cannot inherit more file descriptors on this system.
func (b *Browser) start() error {
	return errors.New("this system has no pipes for the DevTools protocol")
}

func (b *Browser) kill() {}
