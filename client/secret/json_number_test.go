package secret

import (
	"strings"
	"testing"
)

// A number with the name of a secret is redacted where a later text repeats it.
func TestJSON_NumbersAreLearned(t *testing.T) {
	var known Values
	JSON([]byte(`{"password":99887766,"pin":1234}`), &known, nil)
	got := string(JSON([]byte(`{"text":"the password is 99887766, the year 1234"}`), &known, nil))
	if strings.Contains(got, "99887766") || !strings.Contains(got, "1234") {
		t.Error(got)
	}
}
