//go:build !linux

package e2e

func actsAs() bool { return false }
