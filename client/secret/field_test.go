package secret

import "testing"

func TestIsField(t *testing.T) {
	for name, want := range map[string]bool{
		"password": true, "db_password": true, "apiKey": true, "X-Api-Key": true, "access.token": true, "PGPASSWORD": true, "cvv": true,
		"pageToken": false, "max_tokens": false, "country_code": false, "key": false, "secretary": false, "": false,
	} {
		if got := IsField(name); got != want {
			t.Errorf("IsField(%q) = %v", name, got)
		}
	}
}
