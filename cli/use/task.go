package use

import (
	"github.com/spf13/cobra"

	"mcptea/session/session"
)

func (p *commands) taskCommand() *cobra.Command { return &cobra.Command{Use: "task", Hidden: true} }

func (p *commands) storedTasks(*session.Session) []string { return nil }
