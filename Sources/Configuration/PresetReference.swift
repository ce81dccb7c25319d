/// The help text of the protocols.
enum PresetReference {
    static let text = Preset.all.map(entry).joined()

    private static let indent = (Preset.all.map(\.name.count).max() ?? 0) + 2

    private static func entry(of preset: Preset) -> String {
        let port = preset.port.map { " (port \($0))" } ?? ""
        let lines = ([preset.purpose + port] + preset.settings.map(\.text)).flatMap {
            KeyReference.wrap($0, to: KeyReference.width - indent)
        }
        let name = preset.name + String(repeating: " ", count: indent - preset.name.count)
        let margin = "\n" + String(repeating: " ", count: indent)
        return name + lines.joined(separator: margin) + "\n"
    }
}
