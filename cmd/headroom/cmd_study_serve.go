package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"headroom/plots/show"
	"headroom/scenarios/study/farm"
	"headroom/scenarios/study/sweep"
	"headroom/sim"
)

var studyServeCommand = command{
	name:  "study serve",
	args:  "FILE",
	short: "hands the runs of a study to workers on other machines",
	long: `Holds the store of a study and hands its runs to workers that connect with headroom study work, over a NATS server
with JetStream: one inside this process, or with --connect one that stands already. When all runs are finished it writes
what headroom study writes, and workers go home. Stopped in any way it goes on where it stood when it is started again;
workers wait for it. Beyond this machine a token (the variable HEADROOM_TOKEN, or --token-file) and TLS are wanted.
headroom study serve hall.yaml -o out
headroom study serve hall.yaml -o out --listen 0.0.0.0:4222 --token-file token --tls-cert cert.pem --tls-key key.pem`,
	exits: []int{exitDone, exitFailed, exitUsage, exitRunsFailed, exitInterrupted},
	setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
		var o serveOptions
		o.add(flags)
		flags.StringVar(&o.listen, "listen", "127.0.0.1:4222", "`ADDR` to listen on; port 0 takes a free one")
		flags.StringVar(&o.connect, "connect", "", "`URL` of a NATS server that stands already, in place of one inside")
		flags.IntVar(&o.replicas, "replicas", 1, "keep `N` copies of everything on a cluster")
		flags.DurationVar(&o.lease, "lease", 15*time.Second, "a worker that was silent for so `LONG` loses its run")
		flags.IntVarP(&o.workers, "workers", "j", 0, "make `N` runs at a time in this process as well")
		o.link.add(flags)
		flags.StringVar(&o.cert, "tls-cert", "", "`FILE` of the certificate of the server inside")
		flags.StringVar(&o.key, "tls-key", "", "`FILE` of its key")
		return func(ctx context.Context, t *terminal, args []string) error { return runStudyServe(ctx, t, &o, args) }
	},
}

type serveOptions struct {
	studyOptions
	link            linkFlags
	listen, connect string
	replicas        int
	lease           time.Duration
	cert, key       string
}

// linkFlags are what it takes to be let in.
type linkFlags struct {
	tokenFile, ca string
}

func (l *linkFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&l.tokenFile, "token-file", "", "`FILE` that holds the token; HEADROOM_TOKEN without it")
	flags.StringVar(&l.ca, "tls-ca", "", "`FILE` of the authority behind the server's certificate")
}

func (l *linkFlags) token() (string, error) {
	if l.tokenFile == "" {
		return os.Getenv("HEADROOM_TOKEN"), nil
	}
	data, err := os.ReadFile(l.tokenFile)
	if err != nil {
		return "", usageError{text: "--token-file: " + err.Error()}
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", usageError{text: "--token-file " + l.tokenFile + " holds no token"}
	}
	return token, nil
}

// options are how to reach a server.
func (l *linkFlags) options(url, name string) (farm.LinkOptions, error) {
	token, err := l.token()
	if err != nil {
		return farm.LinkOptions{}, err
	}
	o := farm.LinkOptions{URL: url, Name: name, Token: token}
	if l.ca != "" {
		pem, err := os.ReadFile(l.ca)
		if err != nil {
			return o, usageError{text: "--tls-ca: " + err.Error()}
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return o, usageError{text: "--tls-ca " + l.ca + " holds no certificate in PEM form"}
		}
		o.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return o, nil
}

// processName tells this process from others that work on the same study.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}

func runStudyServe(ctx context.Context, t *terminal, o *serveOptions, args []string) error {
	if o.lease < time.Second {
		return usageError{text: fmt.Sprintf("--lease %s: want at least 1s", o.lease)}
	}
	s, err := o.load(ctx, t, args)
	if err != nil {
		return err
	}
	if o.out == "" && o.store == "" {
		return usageError{text: "where do finished runs go? --out DIR or --store DIR"}
	}
	store, remove, err := o.openStore(t, s.key)
	if err != nil {
		return err
	}
	defer remove()
	url := o.connect
	link, err := o.link.options(url, processName())
	if err != nil {
		return err
	}
	if url == "" {
		server := farm.ServerOptions{Listen: o.listen, Dir: filepath.Join(store.Dir(), "queue"), Token: link.Token}
		if o.cert != "" || o.key != "" {
			pair, err := tls.LoadX509KeyPair(o.cert, o.key)
			if err != nil {
				return usageError{text: "--tls-cert, --tls-key: " + err.Error()}
			}
			server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		}
		ns, err := farm.StartServer(server)
		if err != nil {
			return usageError{text: "--listen: " + err.Error()}
		}
		defer farm.StopServer(ns)
		link.URL = ns.ClientURL()
		if link.TLS == nil && server.TLS != nil { // our own certificate, over our own loopback
			link.TLS = &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12} //nolint:gosec // the server is this process
		}
		if err := farm.Forget(ctx, link, s.key); err != nil {
			return err
		}
		t.note("listening on %s; on any machine that reaches it: headroom study work --connect %s", ns.ClientURL(), ns.ClientURL())
	}
	bundle, err := s.bundle(o.lease)
	if err != nil {
		return err
	}
	st := s.new(store)
	st.Say = studyProgress(t)
	host, err := farm.NewHost(ctx, st.Maker, farm.HostOptions{Link: link, Key: s.key, Bundle: bundle, Replicas: o.replicas})
	if err != nil {
		return err
	}
	local, stopLocal := context.WithCancel(ctx)
	defer stopLocal()
	if o.workers > 0 {
		w := workOptions{workers: o.workers, study: s.key, patience: time.Hour}
		go func() { // a local worker that fails is one worker less
			if err := w.run(local, t, link); err != nil && local.Err() == nil {
				t.note("the workers of this process stopped: %v", err)
			}
		}()
	}
	err = st.Run(ctx, host, 64)
	var failed *sweep.FailedError
	finished := err == nil || errors.As(err, &failed)
	closing, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	if e := host.Close(closing, finished); e != nil {
		t.note("the study's streams were left on the server: %v", e)
	}
	sayWorkers(t, host.Seen)
	return finishStudy(ctx, t, &o.studyOptions, s, st, err)
}

// sayWorkers says who made how much.
func sayWorkers(t *terminal, seen farm.Seen) {
	for _, name := range slices.Sorted(maps.Keys(seen.Workers)) {
		t.note("worker %s: %s", name, show.Of(seen.Workers[name], "run"))
	}
	if seen.Again > 0 {
		t.note("%s came from a second worker, because the first fell silent", show.Of(seen.Again, "run"))
	}
}

// bundle is what workers need to know.
func (s *studySetup) bundle(lease time.Duration) (*farm.Bundle, error) {
	o := s.base.Options
	files, err := s.base.Source.Inputs()
	if err != nil {
		return nil, err
	}
	b := &farm.Bundle{
		Name: s.name, Text: s.text, Set: o.Set, Variant: o.Variant, Seed: o.Seed, Catalogs: o.Catalogs, Files: files,
		Model: sim.ModelVersion, Columns: sweep.ColumnsMark(), Lease: lease,
	}
	b.Names = slices.Sorted(maps.Keys(b.Files))
	return b, nil
}
