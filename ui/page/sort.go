package page

// Sort sorts items in the order of the list. Items for which first returns true come first.
func (p *Page[T, K]) Sort(items []T, first func(it T) bool) { p.list.Order(items, first) }

// SortNext sorts the list by the next column.
func (p *Page[T, K]) SortNext() { p.list.SortNext() }

// SortBy sets the name of the column that the items are sorted by. It is for items that are already
// sorted.
func (p *Page[T, K]) SortBy(column string) { p.list.Sorted = column }

// SortedBy returns the name of the column that the list is sorted by.
func (p *Page[T, K]) SortedBy() string { return p.list.Sorted }
