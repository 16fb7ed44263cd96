package peer

import (
	"encoding/base64"
	"fmt"

	"mcptea/client/revision"
)

// Marks are the annotations of a content block or a resource.
type Marks struct {
	Audience     []string `json:"audience,omitempty"`
	Priority     *float64 `json:"priority,omitempty"`
	LastModified string   `json:"lastModified,omitempty"` // ISO 8601, from 2025-06-18
}

// Icon is one picture that stands for something.
type Icon struct {
	Src      string   `json:"src"`
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
}

// Contents is what a resource holds; exactly one of Text and Blob is set.
type Contents struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *string `json:"blob,omitempty"` // Base64
}

// TextContents makes contents of text.
func TextContents(uri, mimeType, text string) Contents {
	return Contents{URI: uri, MIMEType: mimeType, Text: &text}
}

// BlobContents makes contents of bytes.
func BlobContents(uri, mimeType string, data []byte) Contents {
	blob := base64.StdEncoding.EncodeToString(data)
	return Contents{URI: uri, MIMEType: mimeType, Blob: &blob}
}

// Content is one block in the result of a tool or in a prompt's message. Make
// one with the functions below.
type Content struct {
	Type        string    `json:"type"`
	Text        *string   `json:"text,omitempty"`
	Data        string    `json:"data,omitempty"`
	URI         string    `json:"uri,omitempty"`
	Name        string    `json:"name,omitempty"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	MIMEType    string    `json:"mimeType,omitempty"`
	Resource    *Contents `json:"resource,omitempty"`
	Annotations *Marks    `json:"annotations,omitempty"`
}

// Text is a block of text.
func Text(text string) Content { return Content{Type: "text", Text: &text} }

// Textf is a block of formatted text.
func Textf(format string, args ...any) Content { return Text(fmt.Sprintf(format, args...)) }

// Image is a block with a picture.
func Image(mimeType string, data []byte) Content {
	return Content{Type: "image", MIMEType: mimeType, Data: base64.StdEncoding.EncodeToString(data)}
}

// Audio is a block with sound. Before 2025-03-26 it is described in text.
func Audio(mimeType string, data []byte) Content {
	return Content{Type: "audio", MIMEType: mimeType, Data: base64.StdEncoding.EncodeToString(data)}
}

// Embedded is a block that carries a resource.
func Embedded(c Contents) Content { return Content{Type: "resource", Resource: &c} }

// Link is a block that names a resource. Before 2025-06-18 it is text.
func Link(uri, name, description, mimeType string) Content {
	return Content{Type: "resource_link", URI: uri, Name: name, Description: description, MIMEType: mimeType}
}

// Marked returns the block with annotations.
func (c Content) Marked(m Marks) Content {
	c.Annotations = &m
	return c
}

// fit returns the block in a form that the revision has.
func (c Content) fit(r revision.Revision) Content {
	switch {
	case c.Type == "audio" && !audioContent.In(r):
		return Textf("(%s: audio content came with %s)", c.MIMEType, revision.R20250326)
	case c.Type == "resource_link" && !resourceLinks.In(r):
		return Textf("%s: %s (resource links came with %s)", c.Name, c.URI, revision.R20250618)
	}
	if c.Annotations != nil && c.Annotations.LastModified != "" && !titles.In(r) {
		marks := *c.Annotations
		marks.LastModified = ""
		c.Annotations = &marks
	}
	return c
}

func fitAll(blocks []Content, r revision.Revision) []Content {
	fitted := make([]Content, len(blocks)) // never nil: content is required, if empty
	for i, c := range blocks {
		fitted[i] = c.fit(r)
	}
	return fitted
}
