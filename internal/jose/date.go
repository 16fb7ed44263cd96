package jose

import "time"

// A Date is a NumericDate: seconds since 1970, which may have a fraction (RFC 7519 §2).
type Date float64

// maxDate bounds the dates that have a time: the end of the year 9999.
const maxDate = 253402300799

// Time returns the time of a date. A date after the year 9999, or as far before 1970, is cut to that bound.
func (d Date) Time() time.Time {
	d = max(min(d, maxDate), -maxDate)
	whole := int64(d)
	return time.Unix(whole, int64((d-Date(whole))*1e9))
}
