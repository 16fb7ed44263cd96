package phrase

// maxLength bounds the cost, which is the product of both lengths.
const maxLength = 64

// EditDistance returns the Levenshtein distance of two words: the number of bytes to
// insert, delete or replace. Words of more than 64 bytes count as different in
// each byte.
func EditDistance(a, b string) int {
	if len(a) > maxLength || len(b) > maxLength {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
