//go:build !linux

package e2e

func serveFlood() bool { return false }
