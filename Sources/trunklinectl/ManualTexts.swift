/// What the manual page says beside the verbs.
extension Manual {
    static let description = [
        """
        Trunkline keeps one connection to a remote server and gives every local program its share of it, through \
        Unix domain sockets. One server with its sockets is a bridge: a configuration file, a process, and an \
        instance of the unit trunkline@.service.
        """,
        """
        trunklinectl asks the daemons themselves, through the control socket that each has. Who may connect to it \
        may look: by default members of the group trunkline. Only root, and the user that the daemon runs as, may \
        steer.
        """,
        """
        A bridge is called what its file is: ais is /etc/trunkline/ais.yaml, and the unit trunkline@ais.
        """,
        """
        Where the output is data, --json prints it for programs. Colours are for terminals only.
        """,
    ]

    static let exitStatuses = [
        ("0", "It is done."),
        ("1", "It failed, as was told on standard error."),
        ("3", "The bridge, or one of several, is not running."),
        ("64", "The command line was wrong."),
        ("78", "A configuration file has mistakes (check)."),
    ]

    static let environment = [
        ("RUNTIME_DIRECTORY", "Where the bridges' sockets are, in place of /run/trunkline."),
        ("CONFIGURATION_DIRECTORY", "Where their configurations are, in place of /etc/trunkline."),
        ("NO_COLOR", "If set to anything, there are no colours."),
        ("TERM", "Of dumb terminals no colours are expected."),
    ]

    static let files = [
        ("/etc/trunkline/BRIDGE.yaml", "A bridge's configuration."),
        ("/run/trunkline/BRIDGE.sock", "Its first socket, unless configured otherwise."),
        ("/run/trunkline/BRIDGE.control", "Its control socket: Varlink, interface org.trunkline.Bridge."),
    ]

    static let examples = [
        (text: "See how all bridges are doing:", command: "trunklinectl list"),
        (text: "Watch the next ten messages of one:", command: "trunklinectl tail ais --count 10"),
        (
            text: "Connect at once, without waiting for the next attempt:",
            command: "trunklinectl reconnect ais"
        ),
    ]
}
