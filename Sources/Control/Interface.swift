/// What the control socket speaks, in Varlink's interface definition language
/// (https://varlink.org/Interface-Definition).
public enum Interface {
    public static let name = "org.trunkline.Bridge"
    public static let serviceName = "org.varlink.service"

    /// The definition of an interface of this name; `nil` when there is none.
    public static func definition(of interface: String) -> String? {
        switch interface {
        case name: bridge
        case serviceName: service
        default: nil
        }
    }

    /// What every Varlink service has (https://varlink.org/Service).
    static let service = """
        # What every Varlink service tells of itself.
        interface org.varlink.service

        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # The definition of an interface, in Varlink's own language.
        method GetInterfaceDescription(interface: string) -> (description: string)

        error InterfaceNotFound (interface: string)
        error MethodNotFound (method: string)
        error MethodNotImplemented (method: string)
        error InvalidParameter (parameter: string)
        error PermissionDenied ()
        error ExpectedMore ()

        """

    static let bridge = """
        # One bridge of Trunkline: what it knows, and what can be done to it.
        # Times are microseconds since 1970.
        interface org.trunkline.Bridge

        # Whole messages; bytes, those of unfinished messages among them.
        type Amount (messages: int, bytes: int)

        # Each second, on the average.
        type Rate (messages: float, bytes: float)

        # Over the last second, ten seconds and minute.
        type Rates (second: Rate, tenSeconds: Rate, minute: Rate)

        # Something that was thrown away or went wrong since the start, how often, and what it cost.
        type Counter (reason: string, times: int, messages: int, bytes: int)

        # Bytes of a ring.
        type Fill (used: int, size: int)

        # An address that was tried, and why in vain.
        type Address (address: string, reason: ?string)

        # What TLS has agreed upon with the upstream, and the upstream's certificate.
        type TLS (
          # As in "TLSv1.3".
          version: string,
          cipher: string,
          # The protocol that was chosen, of those that were offered.
          alpn: ?string,
          # An earlier session went on, without certificates.
          resumed: bool,
          # The certificate's chain and name were verified.
          verified: bool,
          subject: string,
          issuer: string,
          # Whom it is for, some of them if they are many.
          names: []string,
          notAfter: int,
          # The SHA-256 of its key, in base64.
          pin: string
        )

        # The connection to the upstream.
        type Uplink (
          # "ended" is a connection that the upstream has closed and that is not read to its end yet; "resting" is the
          # time from one connection that was complete to the next.
          state: (
            starting, resolving, connecting, securing, greeting, ready, ended, waiting, resting, stopping
          ),
          # What is connected or tried, or was last.
          upstream: string,
          # Since when the state is what it is.
          since: int,
          # Since when there has been no connection, until there is one again; not while resting.
          outageSince: ?int,
          # Why there is none.
          reason: ?string,
          # While waiting or resting.
          nextAttempt: ?int,
          # In vain, since the last connection.
          attempts: int,
          # Since the start.
          connections: int,
          # Those tried since the last connection, that one's own among them.
          addresses: []Address,
          # Of a connection with TLS.
          tls: ?TLS
        )

        # One of the sockets for local programs.
        type Socket (
          name: string,
          path: string,
          clients: int,
          # Why nobody new is accepted.
          trouble: ?string
        )

        # One connected local program.
        type Client (
          # Counts the bridge's clients from 1.
          number: int,
          # The name of the socket that it came to.
          socket: string,
          pid: int,
          uid: int,
          # What the process was called when it connected, if that could be seen.
          command: ?string,
          since: int,
          # What it has not been sent yet.
          lag: Amount,
          sent: Amount,
          received: Amount,
          # What it was never sent (when-behind: drop).
          missed: Amount,
          # It misses messages until it has caught up.
          skipping: bool
        )

        type Bridge (
          name: string,
          version: string,
          pid: int,
          since: int,
          # One line, as "systemctl status" shows it.
          status: string,
          # Every setting in force, as YAML.
          configuration: string,
          logLevel: string,
          uplink: Uplink,
          # From the upstream.
          received: Amount,
          # To the upstream.
          sent: Amount,
          receiveRates: Rates,
          sendRates: Rates,
          # One for each reason there is.
          counters: []Counter,
          # What was received and is needed by some client still.
          buffer: Fill,
          # What waits for the upstream.
          outbox: Fill,
          sockets: []Socket
        )

        # Everything that the bridge knows.
        method Describe() -> (bridge: Bridge, clients: []Client)

        # What happens, from now on; the first reply, "monitoring", tells how things stand. Call it with "more".
        # Who reads too slowly misses events, and is told how many ("missed").
        method Monitor() -> (
          # What the event is about, in one word.
          event: string,
          # error, warning, notice, info or debug.
          level: string,
          # For people.
          text: string,
          time: int,
          # For programs: those of the journal (systemd.journal-fields(7)), UPSTREAM and CLIENT_PID among them.
          fields: [string]string
        )

        # Ends the connection, or the waiting for the next attempt, and connects at once.
        method Reconnect() -> ()

        # Disconnects a client.
        method Disconnect(client: int) -> ()

        # What is logged from now on, at the least: error, warning, notice, info or debug.
        method SetLogLevel(level: string) -> ()

        # No client of this number is connected.
        error NoSuchClient (client: int)

        """
}
