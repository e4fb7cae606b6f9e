// Servers starts object-store servers on loopback ports, each with one bucket named
// "bucket". It runs a command whose environment tells how to reach them, and stops them
// when the command ends:
//
//	servers FOLDER COMMAND [ARGUMENT...]
//
// FOLDER is where `make servers` has put the programs: versitygw for S3,
// fake-gcs-server for Google Cloud Storage and Azurite for Azure. The URLs of the
// buckets are in ZMIGRATE_S3, ZMIGRATE_GS and ZMIGRATE_AZBLOB. Credentials are in the
// variables in which each provider's libraries look for them. The data and logs of the
// servers are in a temporary folder. It is removed at the end, unless the command
// fails.
package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
)

// account is the user name that the servers accept.
const account = "zmigrate"

// startTime is how long servers may take until they answer.
const startTime = time.Minute

func main() {
	if len(os.Args) < 3 {
		_, _ = fmt.Fprintln(os.Stderr, "usage: servers FOLDER COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "servers:", err)
		os.Exit(1)
	}
}

// server describes a server that is to be started.
type server struct {
	name    string
	command []string
	env     []string
	address string
}

func run(programs string, command []string) (err error) {
	programs, err = filepath.Abs(programs)
	if err != nil {
		return err
	}
	data, err := os.MkdirTemp("", "zmigrate-servers")
	if err != nil {
		return err
	}
	defer func() {
		if err == nil {
			err = os.RemoveAll(data)
		} else {
			err = fmt.Errorf("%w (what the servers say is in %s)", err, data)
		}
	}()
	at, err := freeAddresses()
	if err != nil {
		return err
	}
	for _, folder := range []string{"s3/bucket", "meta/s3", "gs/bucket", "azure"} {
		if err := os.MkdirAll(filepath.Join(data, folder), 0o777); err != nil {
			return err
		}
	}
	key := base64.StdEncoding.EncodeToString([]byte(rand.Text() + rand.Text()))
	var ended []<-chan error
	ctx, end := context.WithCancel(context.Background())
	defer func() {
		end()
		for _, e := range ended {
			_ = <-e // the error of a killed server says nothing new
		}
	}()
	for _, s := range at.servers(programs, data, key) {
		e, err := s.start(ctx, data)
		if err != nil {
			return err
		}
		ended = append(ended, e)
		if err := s.ready(e); err != nil {
			return err
		}
	}
	if err := createContainer(ctx, "http://"+at.azure+"/"+account+"/bucket", key); err != nil {
		return err
	}
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), at.environment(key)...)
	return c.Run()
}

// addresses are the addresses of the servers.
type addresses struct{ s3, gs, azure string }

// freeAddresses returns unused loopback addresses.
func freeAddresses() (at addresses, err error) {
	for _, to := range []*string{&at.s3, &at.gs, &at.azure} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return at, err
		}
		defer func() { _ = l.Close() }()
		*to = l.Addr().String()
	}
	return at, nil
}

// servers returns the servers to start. Each has a folder of its own in the folder
// data.
func (at addresses) servers(programs, data, key string) []server {
	_, gsPort, _ := net.SplitHostPort(at.gs)
	_, azurePort, _ := net.SplitHostPort(at.azure)
	return []server{
		{name: "s3", address: at.s3, command: []string{
			filepath.Join(programs, "versitygw"), "--port", at.s3, "--access", account, "--secret", key,
			"posix", "--sidecar", filepath.Join(data, "meta/s3"), filepath.Join(data, "s3"),
		}},
		{name: "gs", address: at.gs, command: []string{
			filepath.Join(programs, "fake-gcs-server"), "-scheme", "http", "-host", "127.0.0.1", "-port", gsPort, "-public-host", at.gs,
			"-backend", "memory", "-data", filepath.Join(data, "gs"), "-log-level", "warn",
		}},
		{name: "azure", address: at.azure, env: []string{"AZURITE_ACCOUNTS=" + account + ":" + key}, command: []string{
			filepath.Join(programs, "azurite/node_modules/.bin/azurite-blob"), "--blobHost", "127.0.0.1", "--blobPort", azurePort,
			"--location", filepath.Join(data, "azure"), "--disableTelemetry", "--silent", "--skipApiVersionCheck",
		}},
	}
}

// environment returns the variables with which the command reaches the servers.
func (at addresses) environment(key string) []string {
	return []string{
		"ZMIGRATE_S3=s3://bucket?region=us-east-1&use_path_style=true&endpoint=" + url.QueryEscape("http://"+at.s3),
		"ZMIGRATE_GS=gs://bucket",
		"ZMIGRATE_AZBLOB=azblob://bucket?protocol=http&domain=" + at.azure,
		"AWS_ACCESS_KEY_ID=" + account, "AWS_SECRET_ACCESS_KEY=" + key, "AWS_EC2_METADATA_DISABLED=true",
		"AWS_CONFIG_FILE=" + os.DevNull, "AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull,
		"STORAGE_EMULATOR_HOST=" + at.gs,
		"AZURE_STORAGE_ACCOUNT=" + account, "AZURE_STORAGE_KEY=" + key,
	}
}

// start starts the server, which ends with ctx. The channel gets the error of its end,
// and is closed then.
func (s server) start(ctx context.Context, data string) (<-chan error, error) {
	log, err := os.Create(filepath.Join(data, s.name+".log"))
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	c.Dir, c.Env, c.Stdout, c.Stderr = data, append(os.Environ(), s.env...), log, log
	if err := c.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: `make servers` installs what is missing", err), log.Close())
	}
	ended := make(chan error, 1)
	go func() {
		ended <- errors.Join(c.Wait(), log.Close())
		close(ended)
	}()
	return ended, nil
}

// ready waits until the server answers.
func (s server) ready(ended <-chan error) error {
	for deadline := time.Now().Add(startTime); time.Now().Before(deadline); {
		if answer, err := http.Get("http://" + s.address); err == nil {
			return answer.Body.Close()
		}
		select {
		case err := <-ended:
			return fmt.Errorf("%s ended at once: %w", strings.Join(s.command[:1], " "), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not answer within %v", s.command[0], startTime)
}

func createContainer(ctx context.Context, at, key string) error {
	credential, err := container.NewSharedKeyCredential(account, key)
	if err != nil {
		return err
	}
	client, err := container.NewClientWithSharedKeyCredential(at, credential, nil)
	if err != nil {
		return err
	}
	_, err = client.Create(ctx, nil)
	return err
}
