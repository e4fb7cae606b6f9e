package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is the number of the user and the group that the program runs as in a container.
const nobody = 65532

// The parts of the OCI image specification 1.1 that an image has here.
type (
	descriptor struct {
		Type        string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Size        int               `json:"size"`
		Platform    *ociPlatform      `json:"platform,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	ociPlatform struct {
		Arch   string `json:"architecture"`
		System string `json:"os"`
	}
	ociIndex struct {
		Schema      int               `json:"schemaVersion"`
		Type        string            `json:"mediaType"`
		Manifests   []descriptor      `json:"manifests"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	ociManifest struct {
		Schema      int               `json:"schemaVersion"`
		Type        string            `json:"mediaType"`
		Config      descriptor        `json:"config"`
		Layers      []descriptor      `json:"layers"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	ociImage struct {
		Created string `json:"created"`
		ociPlatform
		Config  ociConfig    `json:"config"`
		Root    ociRoot      `json:"rootfs"`
		History []ociHistory `json:"history"`
	}
	ociConfig struct {
		User       string            `json:"User"`
		Env        []string          `json:"Env"`
		Entrypoint []string          `json:"Entrypoint"`
		WorkingDir string            `json:"WorkingDir"`
		Labels     map[string]string `json:"Labels"`
	}
	ociRoot struct {
		Type   string   `json:"type"`
		Layers []string `json:"diff_ids"`
	}
	ociHistory struct {
		Created   string `json:"created"`
		CreatedBy string `json:"created_by"`
	}
)

const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// layout is an OCI image layout in the making.
type layout struct{ files []file }

// add adds a blob.
func (l *layout) add(kind string, text []byte) descriptor {
	sum := sha256.Sum256(text)
	digest := hex.EncodeToString(sum[:])
	name := "blobs/sha256/" + digest
	for _, f := range l.files {
		if f.name == name {
			return descriptor{Type: kind, Digest: "sha256:" + digest, Size: len(text)}
		}
	}
	l.files = append(l.files, file{name: name, text: text})
	return descriptor{Type: kind, Digest: "sha256:" + digest, Size: len(text)}
}

// addJSON adds a document.
func (l *layout) addJSON(kind string, document any) (descriptor, error) {
	text, err := json.Marshal(document)
	return l.add(kind, text), err
}

// authorities returns the certificates of the authorities that Mozilla trusts without
// restrictions, in PEM.
func authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return out.Bytes()
}

// image makes a container image for the processors of Linux, as an OCI layout in a tar archive.
func (r *making) image(context.Context) error {
	common, err := r.common()
	if err != nil {
		return err
	}
	labels := map[string]string{
		"org.opencontainers.image.title": "zmigrate", "org.opencontainers.image.description": "moves scientific data to Zarr v3",
		"org.opencontainers.image.source": "https://github.com/zmigrate/zmigrate", "org.opencontainers.image.licenses": "Apache-2.0",
		"org.opencontainers.image.version": r.version, "org.opencontainers.image.revision": r.commit,
		"org.opencontainers.image.created": r.time.Format(time.RFC3339),
	}
	var l layout
	index := ociIndex{Schema: 2, Type: typeIndex, Annotations: labels}
	for _, p := range r.platforms {
		if p.system != "linux" {
			continue
		}
		program, err := os.ReadFile(r.programs[p])
		if err != nil {
			return err
		}
		files := []file{
			{name: "usr/bin/zmigrate", text: program, mode: 0o755},
			{name: "etc/ssl/certs/ca-certificates.crt", text: authorities()},
			{name: "etc/passwd", text: []byte("root:x:0:0:root:/root:/sbin/nologin\nzmigrate:x:65532:65532:zmigrate:/work:/sbin/nologin\n")},
			{name: "etc/group", text: []byte("root:x:0:\nzmigrate:x:65532:\n")},
			{name: "tmp/", mode: 0o1777},
			{name: "work/", user: nobody},
		}
		for _, f := range common {
			if !strings.Contains(f.name, "/") {
				f.name = "usr/share/doc/zmigrate/" + f.name
				files = append(files, f)
			}
		}
		layer, err := tarred(withFolders(files), r.time)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(layer)
		compressed, err := gzipped(layer)
		if err != nil {
			return err
		}
		at := r.time.Format(time.RFC3339)
		config, err := l.addJSON(typeConfig, ociImage{
			Created: at, ociPlatform: ociPlatform{p.arch, p.system},
			Config: ociConfig{
				User: "65532:65532", Env: []string{"PATH=/usr/bin", "HOME=/work", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"},
				Entrypoint: []string{"/usr/bin/zmigrate"}, WorkingDir: "/work", Labels: labels,
			},
			Root:    ociRoot{"layers", []string{"sha256:" + hex.EncodeToString(sum[:])}},
			History: []ociHistory{{at, "zmigrate packaging"}},
		})
		if err != nil {
			return err
		}
		manifest, err := l.addJSON(typeManifest, ociManifest{Schema: 2, Type: typeManifest, Config: config, Layers: []descriptor{l.add(typeLayer, compressed)}, Annotations: labels})
		if err != nil {
			return err
		}
		manifest.Platform = &ociPlatform{p.arch, p.system}
		index.Manifests = append(index.Manifests, manifest)
	}
	if len(index.Manifests) == 0 {
		return nil
	}
	all, err := l.addJSON(typeIndex, index)
	if err != nil {
		return err
	}
	all.Annotations = map[string]string{"org.opencontainers.image.ref.name": strings.TrimPrefix(r.version, "v")}
	top, err := json.Marshal(ociIndex{Schema: 2, Type: typeIndex, Manifests: []descriptor{all}})
	if err != nil {
		return err
	}
	l.files = append(l.files, file{name: "oci-layout", text: []byte(`{"imageLayoutVersion":"1.0.0"}`)}, file{name: "index.json", text: top})
	text, err := tarred(withFolders(l.files), r.time)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, r.name()+"_image.tar"), text, 0o644)
}
