// Package display prepares text for a terminal: it sanitizes untrusted text, measures its width in cells,
// cuts it and breaks it into lines. It paints nothing.
package display
