package ui

import (
	"testing"

	"mcptea/demo"
)

func TestItConnectsAndShowsTheTools(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.sees("mcptea-demo", "2025-11-25", "ready", "2 Tools 27", "initialize", "notifications/initialized")
	})
}
