// Package engines has what schedulers need to know about a campaign: a saved plan whose parts
// many processes do. Each scheduler, which we call an engine, has a package of its own below
// this one. No engine sees data of chunks. It starts processes of zmigrate and tells each one
// which parts to do.
package engines
