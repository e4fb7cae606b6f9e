package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The parts of CycloneDX 1.6 that a bill of materials has here.
type (
	bill struct {
		Schema       string       `json:"$schema"`
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     billMetadata `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	billMetadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type     string          `json:"type"`
		Ref      string          `json:"bom-ref"`
		Name     string          `json:"name"`
		Version  string          `json:"version"`
		Licences []licenceChoice `json:"licenses"`
		Package  string          `json:"purl"`
		Hashes   []hash          `json:"hashes,omitempty"`
	}
	licenceChoice struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	dependency struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn,omitempty"`
	}
)

// componentOf describes a module.
func componentOf(kind, path, version string, licences []string) component {
	purl := "pkg:golang/" + path + "@" + version
	c := component{Type: kind, Ref: purl, Name: path, Version: version, Package: purl}
	for _, id := range licences {
		var choice licenceChoice
		choice.Licence.ID = id
		c.Licences = append(c.Licences, choice)
	}
	return c
}

// billsOfMaterials writes the bill of materials of each program: which modules it has.
func (r *making) billsOfMaterials(context.Context) error {
	for _, p := range r.platforms {
		sum, err := checksum(r.programs[p])
		if err != nil {
			return err
		}
		main := componentOf("application", "github.com/zmigrate/zmigrate", r.version, []string{"Apache-2.0"})
		main.Hashes = []hash{{"SHA-256", sum}}
		b := bill{
			Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
			Metadata: billMetadata{Timestamp: r.time.Format(time.RFC3339), Component: main},
		}
		used := dependency{Ref: main.Ref}
		for _, m := range r.modules[p] {
			c := componentOf("library", m.path, m.version, m.licences)
			b.Components = append(b.Components, c)
			b.Dependencies = append(b.Dependencies, dependency{Ref: c.Ref})
			used.On = append(used.On, c.Ref)
		}
		b.Dependencies = append([]dependency{used}, b.Dependencies...)
		id := sha256.Sum256([]byte(r.commit + " " + p.String()))
		id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // a UUID of version 8
		b.Serial = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
		text, err := json.MarshalIndent(b, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, r.name()+"_"+p.system+"_"+p.arch+".cdx.json"), append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	return nil
}
