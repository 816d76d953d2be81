package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// namespace makes a network namespace joined to ours by one cable, or skips the test where the machine does not allow
// that. Both ends are cut and mended by the functions returned.
func namespace(t *testing.T) (name, ours string, cut, mend func()) {
	t.Helper()
	id := os.Getpid() % 10000
	name = fmt.Sprintf("headroom%d", id)
	left, right := fmt.Sprintf("hra%d", id), fmt.Sprintf("hrb%d", id)
	ours = fmt.Sprintf("198.18.%d.1", id%250) // of the range for tests of networks, RFC 2544
	ip := func(args ...string) error {
		out, err := exec.Command("ip", args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	t.Cleanup(func() {
		_ = ip("link", "delete", left)
		_ = ip("netns", "delete", name)
	})
	for _, args := range [][]string{
		{"netns", "add", name},
		{"link", "add", left, "type", "veth", "peer", "name", right, "netns", name},
		{"address", "add", ours + "/30", "dev", left},
		{"link", "set", left, "up"},
		{"-n", name, "address", "add", strings.TrimSuffix(ours, ".1") + ".2/30", "dev", right},
		{"-n", name, "link", "set", right, "up"},
		{"-n", name, "link", "set", "lo", "up"},
	} {
		if err := ip(args...); err != nil {
			t.Skipf("SKIPPED, NO NETWORK NAMESPACES HERE: %v", err)
		}
	}
	set := func(state string) func() {
		return func() {
			if err := ip("link", "set", left, state); err != nil {
				t.Fatal(err)
			}
		}
	}
	return name, ours, set("down"), set("up")
}

// certificate writes a certificate for an address with its key, and a token.
func certificate(t *testing.T, dir, address string) (cert, key, token string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "headroom"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP(address)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(crand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})), write("token", []byte("a secret\n"))
}

// The cable between server and workers is cut while they work, and mended: nothing is lost. It goes over TLS with a
// token, as everything does beyond one machine.
func TestCutCable(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short")
	}
	space, address, cut, mend := namespace(t)
	dir := t.TempDir()
	cert, key, token := certificate(t, dir, address)
	args := []string{
		"first-study", "--set", "run.length=40 d", "--set", `study={replicates: 10, vary: [{path: "racks[A].power", values: [36 kW, 48 kW]}, {path: cooling.air.supply, values: [20 C, 26 C]}]}`,
		"--charts", "none", "--format", "csv", "-q",
	}
	var want bytes.Buffer
	if code := run(context.Background(), append([]string{"study"}, args...), nil, &want, io.Discard); code != 0 {
		t.Fatalf("the study by itself ended with %d", code)
	}
	at := net.JoinHostPort(address, "42422")
	// Without a token or without TLS no server listens beyond this machine.
	if code := run(context.Background(), append([]string{"study", "serve", "-o", filepath.Join(dir, "no"), "--listen", at, "--token-file", token}, args...), nil, io.Discard, io.Discard); code != exitUsage {
		t.Errorf("a server without TLS: exit code %d", code)
	}
	server := start(t, "server", func(*process, string) {}, append([]string{
		"study", "serve", "-o", filepath.Join(dir, "out"), "--listen", at, "--lease", "2s", "--token-file", token, "--tls-cert", cert, "--tls-key", key,
	}, args...)...)
	begun := make(chan struct{}, 1000)
	worker := func(n int) *process {
		return startCommand(t, fmt.Sprintf("worker %d", n), func(_ *process, line string) {
			if strings.HasPrefix(line, "start ") {
				begun <- struct{}{}
			}
		}, exec.Command("ip", "netns", "exec", space, "headroom", "study", "work", "--connect", "tls://"+at, "-j", "1", "-v", "--token-file", token, "--tls-ca", cert))
	}
	workers := []*process{worker(0), worker(1)}
	defer func() {
		for _, p := range append(workers, server) {
			_ = p.cmd.Process.Kill()
		}
	}()
	for range 8 {
		select {
		case <-begun:
		case <-time.After(time.Minute):
			t.Fatalf("no run was begun for a minute; server:\n%s\nworker:\n%s", server.text(), workers[0].text())
		}
	}
	cut()
	t.Log("the cable is cut")
	time.Sleep(3 * time.Second) // longer than a lease
	mend()
	t.Log("the cable is mended")
	executions := allEnd(t, server, workers)
	got, err := os.ReadFile(filepath.Join(dir, "out", "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("the table differs from the one of a single process")
	}
	t.Logf("%d executions of 40 runs", executions)
	if executions > 40+len(workers) {
		t.Errorf("%d executions of 40 runs with %d leases cut", executions, len(workers))
	}
}

// Ctrl-C ends a study with 130; the same command goes on where it stood, and says so.
func TestStudyInterrupted(t *testing.T) {
	dir := t.TempDir()
	args := []string{"study", "first-study", "--set", "run.length=40 d", "--set", "study.replicates=8", "-o", filepath.Join(dir, "out"), "--charts", "none", "-j", "1"}
	p := start(t, "study", func(*process, string) {}, args...)
	store := filepath.Join(dir, "out", "store")
	for len(stored(t, store)) < 5 {
		time.Sleep(5 * time.Millisecond)
	}
	_ = p.cmd.Process.Signal(syscall.SIGINT)
	p.read.Wait()
	_ = p.cmd.Wait()
	if code := p.cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(p.text(), "goes on from there") {
		t.Fatalf("exit code %d:\n%s", code, p.text())
	}
	kept := len(stored(t, store))
	code, _, stderr := call(context.Background(), nil, args...)
	if code != exitDone || !strings.Contains(stderr, fmt.Sprintf("%d runs made, %d already in the store", 144-kept, kept)) {
		t.Errorf("%d were kept; exit code %d:\n%s", kept, code, stderr)
	}
}
