import Glibc

extension Abuse {
    /// What the machine and its administrator do.
    static let byTheHost = [
        Abuse("SIGSTOP and SIGCONT in a flood") { scene in
            for _ in 0..<5 {
                scene.daemon.signal(SIGSTOP)
                scene.daemon.signal(SIGCONT)
                try scene.flood(messages: 200)
            }
        },
        Abuse("fifty times SIGHUP") { scene in
            for _ in 0..<50 { scene.daemon.signal(SIGHUP) }
            try scene.flood(messages: 200)
        },
        Abuse("SIGPIPE") { scene in
            scene.daemon.signal(SIGPIPE)
            try scene.flood(messages: 200)
        },
    ]
}
