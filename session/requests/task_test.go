package requests

import (
	"testing"

	"mcptea/client"
)

func TestStatus_InvalidTransition(t *testing.T) {
	tests := []struct{ from, to client.TaskStatus }{
		{client.TaskCompleted, client.TaskWorking}, {client.TaskFailed, client.TaskCompleted}, {client.TaskWorking, "sleeping"},
	}
	for _, tt := range tests {
		if invalidTransition(tt.from, tt.to) == "" {
			t.Errorf("%s to %s", tt.from, tt.to)
		}
	}
	for _, ok := range []client.TaskStatus{client.TaskWorking, client.TaskInputRequired, client.TaskCompleted} {
		if why := invalidTransition(client.TaskWorking, ok); why != "" {
			t.Error(why)
		}
	}
}
