// Package places compares the places of a job's target and checkpoint with those of its
// source, and with the hierarchies around them. It reads documents above the target, and writes
// nothing.
package places
