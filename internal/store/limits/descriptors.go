package limits

// manyFiles is a number of open files that never has to be limited further.
const manyFiles = 1 << 20

// ShareOfDescriptors returns how many descriptors one store, or one client, may use: few
// enough to leave room for the others.
func ShareOfDescriptors() int { return max(Descriptors()/8, 2) }
