package page

// Following reports whether the newest item is selected, and stays selected when more items are
// added.
func (p *Page[T, K]) Following() bool { return p.Follow && !p.list.Pinned() && !p.filter.wants }

// ToggleFollow starts to follow the newest item, or stops following.
func (p *Page[T, K]) ToggleFollow() {
	p.list.Pin(p.Following())
	p.filter.wants = false
	p.follow(false)
}

// follow selects the newest item, or the oldest one if the selected item is gone.
func (p *Page[T, K]) follow(gone bool) {
	switch {
	case p.Follow && gone:
		p.list.SelectFirst(0)
		p.list.Pin(true)
	case p.Following():
		p.list.SelectIndex(p.len() - 1)
	}
}

// moved records that the user has moved in the list.
func (p *Page[T, K]) moved() {
	p.filter.wants = false
	p.list.Pin(!p.Follow || p.list.Index() < p.len()-1)
}

// Forget drops the first n items of a page that is Growing. The caller then calls Changed.
func (p *Page[T, K]) Forget(n int) {
	f := &p.filter
	f.forgotten += n
	f.found.forget(n)
	f.line.completion.scan.forget(n)
	f.wantAt = max(f.wantAt-n, 0)
}
