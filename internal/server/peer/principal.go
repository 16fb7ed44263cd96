package peer

import (
	"context"
	"net/http"
)

// principalKey is the context key of the principal of a request.
type principalKey struct{}

// Principals passes requests on with their credentials as the principal, who owns the tasks and webhooks that they
// create. Nothing checks the credentials.
func Principals(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, r.Header.Get("Authorization"))))
	})
}

// principalOf returns the principal of a request, or "".
func principalOf(ctx context.Context) string {
	principal, _ := ctx.Value(principalKey{}).(string)
	return principal
}
