package control

// writable cannot be told without writing here.
func writable(string) bool { return true }

// process has nothing to check here.
func (r *Report) process() {}
