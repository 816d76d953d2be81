package farm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// LinkOptions say how to reach a server.
type LinkOptions struct {
	URL   string
	Name  string // of this process, for whoever looks
	Token string
	TLS   *tls.Config
	// Away is told now and then for how long the server has been out of reach, nil for nobody.
	Away func(time.Duration)
}

// How a connection is kept: it is tried again for as long as the process wants it.
const (
	reconnectWait = 200 * time.Millisecond
	askTimeout    = 5 * time.Second // for one answer of the server
	retryWait     = 200 * time.Millisecond
	pingEvery     = 5 * time.Second // a dead link is noticed after two
)

// link is a connection with its streams.
type link struct {
	nc *nats.Conn
	js jetstream.JetStream
}

func connect(o LinkOptions) (*link, error) {
	options := []nats.Option{
		nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectWait, reconnectWait),
		nats.RetryOnFailedConnect(true), nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2), nats.Timeout(askTimeout),
	}
	if o.Token != "" {
		options = append(options, nats.Token(o.Token))
	}
	if o.TLS != nil {
		options = append(options, nats.Secure(o.TLS))
	}
	nc, err := nats.Connect(o.URL, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", o.URL, err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, err
	}
	if o.Away != nil {
		go watch(nc, o.Away)
	}
	return &link{nc, js}, nil
}

// refused puts the reason of a connection that the server closed in place of its being closed.
func (l *link) refused(err error) error {
	if errors.Is(err, nats.ErrConnectionClosed) && errors.Is(l.nc.LastError(), nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthorization) {
		return fmt.Errorf("the server does not take the token: %w", nats.ErrAuthorization)
	}
	return err
}

// watch tells how long a connection has been down, until it is closed.
func watch(nc *nats.Conn, away func(time.Duration)) {
	last := time.Now()
	for !nc.IsClosed() {
		if nc.IsConnected() {
			last = time.Now()
		} else {
			away(time.Since(last))
		}
		time.Sleep(retryWait)
	}
}

// keepTrying calls f, each time with a timeout of its own, until it gives no error, one that final takes, or ctx ends.
func keepTrying(ctx context.Context, final func(error) bool, f func(context.Context) error) error {
	for {
		err := tryOnce(ctx, f)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrAuthorization), final != nil && final(err):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryWait):
		}
	}
}

func tryOnce(ctx context.Context, f func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, askTimeout)
	defer stop()
	return f(ctx)
}

// names are what a study's streams and subjects are called.
type names struct{ key string }

func (n names) jobs() string           { return "HEADROOM_JOBS_" + n.key }
func (n names) leases() string         { return "HEADROOM_LEASES_" + n.key }
func (n names) done() string           { return "HEADROOM_DONE_" + n.key }
func (n names) bundle() string         { return bundlePrefix + n.key }
func (n names) all(kind string) string { return "headroom." + n.key + "." + kind + ".>" }
func (n names) end() string            { return "headroom." + n.key + ".end" }
func (n names) job(id string, t int) string {
	return fmt.Sprintf("headroom.%s.job.%s.%d", n.key, id, t)
}
func (n names) lease(id string) string { return "headroom." + n.key + ".lease." + id }
func (n names) row(id string) string   { return "headroom." + n.key + ".done." + id }

// bundlePrefix begins the names of the object stores that hold studies' scenarios.
const bundlePrefix = "headroom_"

// idIn is the id of the run that a subject of a job is about.
func idIn(subject string) string {
	parts := strings.Split(subject, ".")
	return parts[max(0, len(parts)-2)]
}

// workersName is the consumer that all workers of a study share.
const workersName = "workers"

// streams makes the streams of a study, or finds them.
func (l *link) streams(ctx context.Context, n names, lease time.Duration, replicas int) error {
	for _, c := range []jetstream.StreamConfig{
		{
			Name: n.jobs(), Subjects: []string{n.all("job")}, Retention: jetstream.WorkQueuePolicy,
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
		},
		{Name: n.leases(), Subjects: []string{n.all("lease")}, MaxMsgsPerSubject: 1, AllowMsgTTL: true, AllowDirect: true},
		{Name: n.done(), Subjects: []string{n.all("done")}, Retention: jetstream.WorkQueuePolicy},
	} {
		c.Storage, c.Replicas = jetstream.FileStorage, replicas
		if _, err := l.js.CreateOrUpdateStream(ctx, c); err != nil {
			return fmt.Errorf("stream %s: %w", c.Name, err)
		}
	}
	_, err := l.js.CreateOrUpdateConsumer(ctx, n.jobs(), jetstream.ConsumerConfig{
		Durable: workersName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxDeliver: -1, MaxAckPending: -1,
	})
	if err != nil {
		return err
	}
	_, err = l.js.CreateOrUpdateConsumer(ctx, n.done(), jetstream.ConsumerConfig{
		Durable: "store", AckPolicy: jetstream.AckExplicitPolicy, AckWait: 30 * time.Second, MaxDeliver: -1, MaxAckPending: -1,
	})
	return err
}

// remove takes a finished study off the server.
func (l *link) remove(ctx context.Context, n names) error {
	var errs []error
	for _, s := range []string{n.jobs(), n.leases(), n.done()} {
		if err := l.js.DeleteStream(ctx, s); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			errs = append(errs, err)
		}
	}
	if err := l.js.DeleteObjectStore(ctx, n.bundle()); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, jetstream.ErrBucketNotFound) {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
