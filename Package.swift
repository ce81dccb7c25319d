// swift-tools-version: 6.2
import PackageDescription

let common: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
let strict = common + [.strictMemorySafety()]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: common)
}

let package = Package(
    name: "trunkline",
    products: [.library(name: "Faults", type: .dynamic, targets: ["Faults"])],
    targets: [
        .target(name: "CLinux", cSettings: [.define("_GNU_SOURCE")]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        module("Framing"),
        module("Memory", ["CLinux"]),
        module("Exchange", ["Framing", "Memory"]),
        module("Uplink", ["Framing"]),
        module("Configuration", ["CYAML", "Framing", "Uplink"]),
        module("Linux", ["CLinux"]),
        module("Systemd", ["Linux"]),
        module("TLS", ["COpenSSL", "Linux"]),
        module("Bridge", ["Configuration", "Exchange", "Framing", "Linux", "Memory", "TLS", "Uplink"]),
        module("Control"),
        module(
            "Daemon", ["Bridge", "Configuration", "Control", "Framing", "Linux", "Systemd", "TLS", "Uplink"]),
        program("trunklined", ["Configuration", "Daemon", "Linux"]),
        program("trunklinectl", ["Configuration", "Control", "Framing", "Linux"]),
        program("trunkline-sim", ["Framing", "Linux", "TLS"]),
        .target(
            name: "Faults", path: "Tests/Faults", publicHeadersPath: ".", cSettings: [.define("_GNU_SOURCE")]),
        .target(
            name: "TestSupport", dependencies: ["COpenSSL"], path: "Tests/TestSupport", swiftSettings: common),
        tests("ArchitectureTests", []),
        tests("ConfigurationTests", ["Configuration", "Framing", "Uplink"]),
        tests("ControlTests", ["Control"]),
        tests(
            "DaemonTests",
            [
                "Bridge", "Configuration", "Control", "Daemon", "Framing", "Linux", "Systemd", "TLS",
                "Uplink",
            ]),
        tests("EndToEndTests", ["Control", "Linux", "trunklined", "trunklinectl", "trunkline-sim"]),
        tests("ExchangeTests", ["Exchange", "Framing", "Memory"]),
        tests("FramingTests", ["Framing"]),
        tests("LinuxTests", ["Linux"]),
        tests("MemoryTests", ["Memory"]),
        tests("SimulatorTests", ["Framing", "Linux", "trunkline-sim"]),
        tests("SystemdTests", ["Linux", "Systemd"]),
        tests("TLSTests", ["Linux", "TLS"]),
        tests(
            "TrunklinectlTests", ["Bridge", "Configuration", "Control", "Framing", "Linux", "trunklinectl"]),
        tests("UplinkTests", ["Framing", "Uplink"]),
    ],
    swiftLanguageModes: [.v6]
)
