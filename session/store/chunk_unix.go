//go:build unix

package store

import "golang.org/x/sys/unix"

func newChunk(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

func freeChunk(c []byte) error { return unix.Munmap(c) }
