package settings

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	mcphttp "mcptea/client/transport/http"
)

// Environment variables for the files of TLS. --insecure has no variable: skipping verification must be visible
// on the command line, or in config.yaml for one server.
const (
	authoritiesVariable = "MCPTEA_CACERT"
	certVariable        = "MCPTEA_CERT"
	keyVariable         = "MCPTEA_KEY"
)

// OwnHost is the host of the servers of the configuration file, as in HOST/NAME.
const OwnHost = "mcptea"

// TLSFlags select the certificates that are accepted, and the client certificate.
type TLSFlags struct {
	authorities []string
	cert, key   string
	serverName  string
	insecure    bool
}

// AddTo declares the flags.
func (f *TLSFlags) AddTo(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupTLS, func(fs *pflag.FlagSet) {
		fs.StringArrayVar(&f.authorities, "cacert", nil, "trust the authorities in this PEM `FILE` in addition to the system's; repeatable")
		fs.StringVar(&f.cert, "cert", "", "present the client certificate in this PEM `FILE`, with its chain; only to the origin of the target")
		fs.StringVar(&f.key, "key", "", "use the private key in this PEM `FILE` (default: in the file of --cert); --client-key is the key of an OAuth client")
		fs.BoolVarP(&f.insecure, "insecure", "k", false, "accept any certificate of the target, whose identity is then unknown; not for its authorization server")
		fs.StringVar(&f.serverName, "tls-server-name", "", "verify the certificate for this `NAME` instead of the host of the URL, and send the name (SNI)")
	})
	for _, name := range filesOfTLS {
		_ = cmd.MarkFlagFilename(name, "pem", "crt", "key")
	}
}

// completeTLS adds the TLS settings of the flags, the environment and config.yaml to a target with a URL.
func (p *Settings) completeTLS(t *client.Target) error {
	f, merged := p.Flags.TLS, TLS{}
	if e := p.Flags.Entry; e != nil && e.Host == OwnHost {
		merged = p.Configured.TLS[e.Name]
	}
	cert, key, isFlag := f.cert, f.key, func(name string) bool { return p.Origins[name].Kind == fromFlag }
	switch {
	case isFlag("cert") && f.cert != "":
		if !isFlag("key") {
			key = "" // the variable is for another certificate
		}
	case merged.Cert != "":
		cert, key = merged.Cert, merged.Key
	}
	if isFlag("key") && key != "" && cert == "" {
		return app.Usage("Add --cert FILE, the certificate of the key. The key of an OAuth client is --client-key.", "--key requires --cert")
	}
	var err error
	if t.TLS.Roots, err = p.authorities(slices.Concat(f.authorities, merged.CACert)); err != nil {
		return err
	}
	if cert != "" {
		if t.TLS.Certificate, err = p.clientCertificate(cert, key); err != nil {
			return err
		}
	}
	if t.TLS.ServerName = merged.ServerName; f.serverName != "" {
		t.TLS.ServerName = f.serverName
	}
	t.TLS.Insecure = f.insecure || merged.Insecure
	if u, err := url.Parse(t.URL); t.TLS.Insecure && err == nil && u.Scheme == "https" {
		fmt.Fprintf(p.Err, "%s The certificate of %s is not verified (--insecure).\n", p.Err.Warn("mcptea:"), p.Err.Safe(u.Host))
	}
	return nil
}

// authorities returns the authorities of the system and of files, or nil if only the system's authorities
// are used.
func (p *Settings) authorities(files []string) (*x509.CertPool, error) {
	var pool *x509.CertPool
	for _, file := range files {
		text, err := p.readPEM("--cacert", file)
		if err != nil {
			return nil, err
		}
		var ok bool
		if pool, ok = mcphttp.WithAuthorities(pool, text); !ok {
			return nil, app.Usage("The file has the certificate of an authority, or of a server that signs its own, between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----. Convert DER with: openssl x509 -inform der -in FILE -out ca.pem", "--cacert: there is no certificate in PEM in %s", file)
		}
	}
	for _, file := range AuthorityFiles(runtime.GOOS, p.Env.Get) {
		if text, err := app.ReadText(p.Ctx, file, keyFileLimit); err == nil {
			pool, _ = mcphttp.WithAuthorities(pool, text)
		}
	}
	return pool, nil
}

// AuthorityFiles returns the files of SSL_CERT_FILE and SSL_CERT_DIR where crypto/x509 does not
// read them.
func AuthorityFiles(system string, getenv func(string) string) (files []string) {
	if system != "windows" && system != "darwin" {
		return nil
	}
	if file := getenv("SSL_CERT_FILE"); file != "" {
		files = append(files, file)
	}
	for _, dir := range filepath.SplitList(getenv("SSL_CERT_DIR")) {
		entries, _ := os.ReadDir(dir) // no files if the directory cannot be read, as in crypto/x509
		for _, e := range entries {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// readPEM reads a file of a flag.
func (p *Settings) readPEM(flag, file string) ([]byte, error) {
	if file == os.DevNull {
		return nil, nil
	}
	text, err := app.ReadText(p.Ctx, file, keyFileLimit)
	return text, app.InputError("", flag, err)
}

// clientCertificate reads a certificate and its key. Without a key file of its own, the key is in the same
// file.
func (p *Settings) clientCertificate(cert, key string) (*tls.Certificate, error) {
	chain, err := p.readPEM("--cert", cert)
	if err != nil {
		return nil, err
	}
	if !hasBlock(chain, func(kind string) bool { return kind == "CERTIFICATE" }) {
		hint := "The file has a certificate and its chain, each between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----. PKCS #12 is converted with: openssl pkcs12 -in FILE -nodes -out client.pem"
		return nil, app.Usage(hint, "--cert: there is no certificate in PEM in %s", cert)
	}
	secret, flag, file := chain, "--cert", cert
	if key != "" {
		if secret, err = p.readPEM("--key", key); err != nil {
			return nil, err
		}
		flag, file = "--key", key
	}
	switch {
	case isEncrypted(secret):
		return nil, app.Usage("Write it without the passphrase: openssl pkcs8 -in "+file+" -out key.pem", "%s: the private key in %s is encrypted", flag, file)
	case !hasBlock(secret, isKey) && key == "":
		return nil, app.Usage("Add --key FILE.", "--cert: there is no private key in %s", cert)
	case !hasBlock(secret, isKey):
		return nil, app.Usage("The file has the key between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----.", "--key: there is no private key in PEM in %s", key)
	}
	pair, err := tls.X509KeyPair(chain, secret)
	if err != nil {
		hint := "The key and the first certificate of the file are made together."
		if strings.Contains(err.Error(), "does not match") { // crypto/tls has no error type for it
			err = errors.New("the private key does not belong to the certificate: " + err.Error())
		}
		return nil, app.Usage(hint, "--cert %s, %s %s: %v", cert, flag, file, err)
	}
	p.warnOfKey(flag, file)
	return &pair, nil
}

// warnOfKey warns if other users can read a private key. On Windows it does nothing: there, the access control
// list of the directory decides.
func (p *Settings) warnOfKey(flag, file string) {
	if info, err := os.Stat(file); err == nil && runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode()&0o004 != 0 {
		p.Warning(fmt.Sprintf("other users of this machine can read the private key of %s: chmod 600 %s", flag, file))
	}
}

// WarnOfClientKey is like warnOfKey, for the key of an OAuth client.
func (p *Settings) WarnOfClientKey() {
	if file := p.Flags.Auth.keyFile; file != "" {
		p.warnOfKey("--client-key", file)
	}
}

// hasBlock reports whether a text has a block of PEM of a kind.
func hasBlock(text []byte, is func(kind string) bool) bool {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if is(block.Type) {
			return true
		}
	}
	return false
}

func isKey(kind string) bool {
	return kind == "PRIVATE KEY" || strings.HasSuffix(kind, " PRIVATE KEY")
}

// isEncrypted reports whether a text has an encrypted key, in PKCS #8 or in the older form of
// OpenSSL (RFC 1421).
func isEncrypted(text []byte) bool {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if isKey(block.Type) && (block.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED")) {
			return true
		}
	}
	return false
}
