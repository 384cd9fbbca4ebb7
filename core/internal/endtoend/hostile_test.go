package endtoend

func removeHostile() {}
