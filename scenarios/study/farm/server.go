package farm

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ServerOptions say where an embedded server listens and whom it lets in.
type ServerOptions struct {
	Listen string // host:port; port 0 takes a free one
	Dir    string // what it keeps on disk
	Token  string // "" lets everybody in
	TLS    *tls.Config
}

// largestMessage holds a row of any study; files of a scenario go in pieces.
const largestMessage = 8 << 20

// StartServer starts a NATS server in this process. Every write to its disk is synced before it is acknowledged. A
// server that others can reach has to have a token and TLS.
func StartServer(o ServerOptions) (*server.Server, error) {
	host, portText, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: want HOST:PORT: %w", o.Listen, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return nil, fmt.Errorf("listen on %q: %q is no port", o.Listen, portText)
	}
	if !loopback(host) && (o.Token == "" || o.TLS == nil) {
		return nil, errors.New("a server that other machines reach needs a token and TLS")
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "headroom", Host: host, Port: port, NoSigs: true, NoLog: true, MaxPayload: largestMessage,
		JetStream: true, StoreDir: o.Dir, SyncAlways: true,
		Authorization: o.Token, TLSConfig: o.TLS, TLS: o.TLS != nil, TLSTimeout: 5,
	})
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		s.Shutdown()
		return nil, fmt.Errorf("no server came up on %s: is the port taken?", o.Listen)
	}
	return s, nil
}

// loopback says whether only this machine can reach a host.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// StopServer stops an embedded server once those who were told to go have gone, or after a moment.
func StopServer(s *server.Server) {
	for range 20 {
		if s.NumClients() == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.Shutdown()
	s.WaitForShutdown()
}
