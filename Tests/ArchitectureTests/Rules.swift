/// Who may know whom. Arrows point down only; docs/DESIGN.md draws them.
enum Rules {
    /// What each target but the tests may depend on, at most.
    static let allowedDependencies: [String: Set<String>] = [
        "CLinux": [],
        "CYAML": [],
        "COpenSSL": [],
        "Framing": [],
        "Memory": ["CLinux"],
        "Exchange": ["Framing", "Memory"],
        "Uplink": ["Framing"],
        "Configuration": ["CYAML", "Framing", "Uplink"],
        "Linux": ["CLinux"],
        "Systemd": ["Linux"],
        "TLS": ["COpenSSL", "Linux"],
        "Bridge": ["Configuration", "Exchange", "Framing", "Linux", "Memory", "TLS", "Uplink"],
        "Control": [],
        "Daemon": ["Bridge", "Configuration", "Control", "Framing", "Linux", "Systemd", "TLS", "Uplink"],
        "trunklined": ["Configuration", "Daemon", "Linux"],
        "trunklinectl": ["Configuration", "Control", "Framing", "Linux"],
        "trunkline-sim": ["CLinux", "Framing", "Linux", "TLS"],
        "Faults": [],
        "TestSupport": ["COpenSSL"],
    ]

    /// The targets without Swift sources.
    static let cDoors: Set<String> = ["CLinux", "CYAML", "COpenSSL", "Faults"]

    /// The toolchain's modules that a target may import: for the pure parts as few as possible, since time,
    /// randomness and the system come to them as arguments. Foundation is for JSON alone.
    static func allowedSystemModules(for target: String) -> Set<String> {
        switch target {
        case "Control": ["Swift", "FoundationEssentials"]
        case "trunklinectl": ["Swift", "Glibc", "FoundationEssentials"]
        case "Exchange", "Uplink": ["Swift"]
        case "Framing", "Memory": ["Swift", "Glibc"]
        case "TestSupport": ["Swift", "Glibc", "Foundation"]
        default: ["Swift", "Glibc", "Synchronization"]
        }
    }

    /// What is wrong with a target that depends on `dependencies`, in sentences.
    static func violations(of target: String, dependingOn dependencies: some Sequence<String>) -> [String] {
        guard let allowed = allowedDependencies[target] else {
            return ["\(target) is a new target: state in Rules.swift what it may depend on"]
        }
        return Set(dependencies).subtracting(allowed).sorted().map { "\(target) may not depend on \($0)" }
    }

    /// What is wrong with a target that declares `dependencies` and imports `modules`, in sentences.
    static func violations(
        of target: String,
        declaring dependencies: some Sequence<String>,
        importing modules: some Sequence<String>
    ) -> [String] {
        let allowed = allowedSystemModules(for: target).union(dependencies)
        return Set(modules).subtracting(allowed).sorted().map { "\(target) may not import \($0)" }
    }
}
