import Configuration
import Exchange
import Framing
import Memory

/// What serves the sockets that have a framing of their own: each framing has one log, and one that takes what clients send.
struct Translations {
    private(set) var logs: [TranslatedLog] = []
    private var logOfSocket: [String: TranslatedLog] = [:]
    private var translatorOfSocket: [String: InletTranslator] = [:]

    init(_ configuration: Configuration, of source: FrameLog) throws(MemoryError) {
        let bound = MemoryBound(configuration)
        let upstream = configuration.upstream
        let translations = configuration.translations
        for translation in translations {
            logs.append(
                TranslatedLog(
                    of: source, in: upstream.framing, memory: try MirroredMemory(size: bound.buffer.bytes),
                    framing: translation.framing, stopsAtLoss: translation.disconnects,
                    limit: upstream.maxMessage, maximumFrames: bound.buffer.frames))
        }
        let translators = configuration.translatedFramings.map {
            InletTranslator(
                from: $0, to: upstream.sendFraming, disconnects: upstream.unrepresentable == .disconnect)
        }
        for socket in configuration.sockets {
            if let translation = configuration.translation(to: socket) {
                logOfSocket[socket.name] = translations.firstIndex(of: translation).map { logs[$0] }
            }
            if let framing = upstream.translation(from: socket) {
                translatorOfSocket[socket.name] = translators.first { $0.framing == framing }
            }
        }
    }

    /// `nil` for a socket whose clients are sent what the upstream sends, unchanged.
    func log(of socket: String) -> TranslatedLog? { logOfSocket[socket] }

    /// `nil` for a socket whose clients send as the upstream wants it, or not at all.
    func translator(of socket: String) -> InletTranslator? { translatorOfSocket[socket] }

    /// Whether everything that was received has been translated.
    var areUpToDate: Bool { logs.allSatisfy(\.isUpToDate) }

    /// Whether the readers of one hold it up.
    var areStuck: Bool { logs.contains(where: \.isStuck) }

    /// Whether any of it can be translated now.
    var canGoOn: Bool { logs.contains(where: \.canGoOn) }
}
