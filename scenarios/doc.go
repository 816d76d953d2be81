// Package scenarios reads the scenario file: YAML with quantities as people write them, decoded strictly,
// with what-if overlays, defaults from published figures, and every problem reported at once with file,
// line and column. It turns a scenario into a [facility.Facility] (Build) and a [sim.Config] (Configure),
// and embeds the example scenarios.
//
// The way through the package is Load: text to a tree of nodes (yaml.go), overlays of the variant and of
// --set applied on the tree so that positions survive (overlay.go), a strict decoder into the typed file
// (decode.go, file*.go), defaults (defaults.go), and the facility and configuration built once as a check.
//
// It holds no physics: it asks the packages under facility for what a climate, a plant or a server does.
// Outside files (weather, traces) are read only through the fs.FS handed in.
package scenarios
