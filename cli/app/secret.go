package app

import (
	"context"
	"strings"
)

// maxSecret bounds a file with a secret, in bytes.
const maxSecret = 1 << 20

// SecretFrom returns the secret of a flag, without space around it. The flag names its source, env:NAME or file:PATH, since
// other processes can read a command line. A flag that is not set has the secret "".
func SecretFrom(ctx context.Context, env Env, flag, source string) (string, error) {
	const hint = "Write it as env:NAME or file:PATH."
	kind, name, _ := strings.Cut(source, ":")
	secret := ""
	switch {
	case source == "":
		return "", nil
	case kind == "env":
		secret = env.Get(name)
	case kind == "file":
		text, err := ReadFile(ctx, name, maxSecret)
		if err != nil {
			return "", InputError("", "--"+flag, err)
		}
		secret = string(text)
	default: // the value is not shown: it may be a secret
		return "", Usage(hint, "--%s does not begin with env: or file:", flag)
	}
	if secret = strings.TrimSpace(secret); secret == "" {
		return "", Usage(hint, "--%s: %s is empty", flag, source)
	}
	return secret, nil
}
