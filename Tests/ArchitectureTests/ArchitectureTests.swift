import Testing

@Suite struct `The architecture` {
    let package: PackageDescription

    init() throws {
        package = try PackageDescription.current.get()
    }

    @Test func `targets depend on what they may, only`() {
        for target in package.targets where target.type != "test" {
            #expect(Rules.violations(of: target.name, dependingOn: target.dependencies.map(\.name)) == [])
        }
    }

    @Test func `sources import what their target declares, only`() throws {
        for target in package.targets where target.type != "test" && !Rules.cDoors.contains(target.name) {
            let imports = try target.imports()
            let dependencies = target.dependencies.map(\.name)
            #expect(Rules.violations(of: target.name, declaring: dependencies, importing: imports) == [])
            #expect(!target.sources.isEmpty, "\(target.name) is not where it was looked for")
        }
    }

    @Test func `tests import what they declare, only`() throws {
        for target in package.targets where target.type == "test" {
            let imports = try target.imports()
            #expect(!target.sources.isEmpty, "\(target.name) is not where it was looked for")
            let ours = Set(package.targets.map { $0.name.replacing("-", with: "_") })
            let declared = target.dependencies.map { $0.name.replacing("-", with: "_") }
            #expect(imports.intersection(ours).subtracting(declared) == [], "in \(target.name)")
        }
    }
}

/// Each gate can fail.
@Suite struct `The rules` {
    @Test func `an arrow that points up is found`() {
        let found = Rules.violations(of: "Framing", dependingOn: ["Linux"])
        #expect(found == ["Framing may not depend on Linux"])
    }

    @Test func `a target without a rule is found`() {
        #expect(Rules.violations(of: "Helpers", dependingOn: []).count == 1)
    }

    @Test(arguments: [
        ("Exchange", "Glibc"), ("Uplink", "Synchronization"), ("Framing", "CLinux"),
        ("Daemon", "Foundation"),
    ])
    func `an import that is not allowed is found`(target: String, module: String) {
        let imports = ["Swift", "Memory", module]
        let found = Rules.violations(of: target, declaring: ["Memory"], importing: imports)
        #expect(found == ["\(target) may not import \(module)"])
    }

    @Test(arguments: [
        ("import Glibc", ["Glibc"]),
        ("public import Framing", ["Framing"]),
        ("    @testable import Uplink  // for its states", ["Uplink"]),
        ("@preconcurrency private import struct Glibc.stat", ["Glibc"]),
        ("import A\nimport B;\n\nlet c = 1", ["A", "B"]),
        ("// import Glibc\n/// import Glibc\nlet important = 1\nimportant()", []),
    ])
    func `imports are found in sources`(source: String, modules: [String]) {
        #expect(importedModules(in: source) == modules)
    }
}
