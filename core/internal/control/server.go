package control

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
)

// The bounds of what one process may cost. They are wide for commands and
// narrow for whoever means to wear the host out.
const (
	maxConnections = 64
	headerTime     = 5 * time.Second
	readTime       = 10 * time.Second
	writeTime      = time.Minute // a restart takes some seconds
	idleTime       = 30 * time.Second
	closeTime      = 2 * time.Second
	maxHeader      = 16 << 10
)

// The name of a socket: c, eight hexadecimal digits, .sock.
const (
	prefix = "c"
	suffix = ".sock"
)

// A Server serves the API on a unix socket.
type Server struct {
	path   string
	http   *http.Server
	listen *listener
	done   chan struct{}
	served atomic.Bool
}

// Guests says which process groups are those of plugins, at this moment.
type Guests func() []int

// Listen makes the socket, in a directory that only this user can reach into.
// Connections wait until Serve. Its error is a *home.Error, or says that the
// platform has no such sockets.
func Listen(log hclog.Logger) (*Server, error) {
	if !Available {
		return nil, ErrUnavailable
	}
	path, l, err := listen()
	if err != nil {
		return nil, err
	}
	return &Server{path: path, listen: newListener(l, log), done: make(chan struct{})}, nil
}

// ErrUnavailable is returned where the platform has no socket whose peers can be
// told apart.
var ErrUnavailable = errors.New("there is no control socket on this platform")

// Path is where the socket is.
func (s *Server) Path() string { return s.path }

// Serve answers with h until Close. It returns at once.
func (s *Server) Serve(h http.Handler, guests Guests, log hclog.Logger) {
	s.listen.guests = guests
	s.http = &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.StandardLogger(&hclog.StandardLoggerOptions{ForceLevel: hclog.Debug}),
	}
	s.served.Store(true)
	go func() {
		defer close(s.done)
		if err := s.http.Serve(s.listen); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the control socket failed", "cause", err)
		}
	}()
}

// Close removes the socket, lets requests that are under way end for two
// seconds, and ends the others.
func (s *Server) Close() error {
	if !s.served.Load() {
		return s.listen.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	<-s.done
	os.Remove(s.path) // the listener does it, unless somebody moved it
	return err
}

// A listener accepts those that may ask, and no more than there is room for.
type listener struct {
	net.Listener
	guests Guests
	room   chan struct{}
	log    hclog.Logger
	closed chan struct{}
	once   sync.Once
	logged time.Time // when a refusal was last logged; Accept runs in one goroutine
	silent int       // refusals since
}

func newListener(l net.Listener, log hclog.Logger) *listener {
	return &listener{Listener: l, room: make(chan struct{}, maxConnections), log: log, closed: make(chan struct{})}
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		select {
		case l.room <- struct{}{}:
		case <-l.closed:
			return nil, net.ErrClosed
		}
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.room
			return nil, err
		}
		if err := admit(c, l.guests); err != nil {
			c.Close()
			<-l.room
			l.refused(err)
			continue
		}
		return &conn{Conn: c, leave: sync.OnceFunc(func() { <-l.room })}, nil
	}
}

// refused logs a refusal, at most one a second: a plugin may try for ever.
func (l *listener) refused(err error) {
	if time.Since(l.logged) < time.Second {
		l.silent++
		return
	}
	l.log.Warn("refused a connection to the control socket", "cause", err, "unlogged_before", l.silent)
	l.logged, l.silent = time.Now(), 0
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// A conn gives its room back when it is closed.
type conn struct {
	net.Conn
	leave func()
}

func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
