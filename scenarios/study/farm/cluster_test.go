package farm

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// cluster starts three servers with routes between them and JetStream, as a cluster that stands already.
func cluster(t *testing.T) []*server.Server {
	t.Helper()
	var list []*server.Server
	var routes []*url.URL
	var ports []int
	for range 3 { // every server has to know the routes before it begins
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		routes = append(routes, &url.URL{Scheme: "nats-route", Host: l.Addr().String()})
		_ = l.Close()
	}
	for i, port := range ports {
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprint("n", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: t.TempDir(), Routes: routes,
			Cluster: server.ClusterOpts{Name: "standing", Host: "127.0.0.1", Port: port},
		})
		if err != nil {
			t.Fatal(err)
		}
		go s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		list = append(list, s)
	}
	for range 600 {
		for _, s := range list {
			if s.JetStreamIsLeader() {
				return list
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the cluster has no leader")
	return nil
}

// A study on a cluster of three servers that stands already, every stream with three copies, goes on when one of the
// servers is killed, and gives the table that one process gives.
func TestCluster(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	defer stop()
	_, want := alone(ctx, t)
	servers := cluster(t)
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.ClientURL())
	}
	link := LinkOptions{URL: strings.Join(urls, ","), Name: "host"}
	st, bundle := ready(t, t.TempDir())
	host, err := NewHost(ctx, st.Maker, HostOptions{Link: link, Key: "abc", Bundle: bundle, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var kill sync.Once
	var made, killed int
	var mu sync.Mutex
	for _, name := range []string{"one", "two"} {
		group.Go(func() {
			work(ctx, t, link.URL, name, func() {
				mu.Lock()
				made++
				n := made
				mu.Unlock()
				if n == 6 {
					kill.Do(func() {
						for i, s := range servers { // the one that decides for the others
							if s.JetStreamIsLeader() {
								killed = i
							}
						}
						servers[killed].Shutdown()
					})
				}
			})
		})
	}
	if err := st.Run(ctx, host, 16); err != nil {
		t.Fatal(err)
	}
	if err := host.Close(ctx, true); err != nil {
		t.Log(err) // a cluster that lost a server may take longer to remove a stream
	}
	group.Wait()
	sameTable(t, st, want)
	t.Logf("server %d killed; %d executions of %d runs", killed, made, st.Count.Made)
	if made > st.Count.Made+2 {
		t.Errorf("%d executions of %d runs", made, st.Count.Made)
	}
}
