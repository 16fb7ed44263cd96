package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"mcptea/client/jsonrpc"
)

// Parse reads the file of a client, as written by [Profile.File] or edited later. It calls agree if the file
// has frames that are sent only with the user's consent, see [Surprise]. If agree returns an error, Parse
// returns no profile.
func Parse(text []byte, agree func(p *Profile) error) (*Profile, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var p Profile
	if err := d.Decode(&p); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the JSON object")
	}
	if p.Format == 0 {
		return nil, fmt.Errorf(`it has no member "mcptea_client": %d`, Format)
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	if len(p.Surprises()) > 0 {
		if err := agree(&p); err != nil {
			return nil, err
		}
	}
	return &p, nil
}

// File returns the content of a file, for [Parse].
func (p *Profile) File() ([]byte, error) {
	own := *p
	own.Format = Format
	if own.Frames == nil && own.Info.IsZero() {
		return nil, errors.New("it knows nothing of the client")
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(&own); err != nil {
		return nil, err
	}
	return []byte(jsonrpc.Indented(out.Bytes()) + "\n"), nil
}
