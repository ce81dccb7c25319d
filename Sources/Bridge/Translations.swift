import Configuration
import Exchange
public import Framing
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

/// A message that could not be translated, and why.
public struct Unrepresentable: Hashable, Sendable {
    /// The socket whose clients do not get it, or whose client has sent it.
    public let socket: String
    public let direction: Direction
    public let reason: UnrepresentableError
    /// Whether clients are disconnected for it: those who do not get it, or the one who has sent it.
    public let disconnects: Bool

    public enum Direction: Hashable, Sendable {
        case toClients
        case toUpstream
    }
}

/// What cannot be translated.
extension Bridge {
    /// A turn translates so much for each framing, at the most and one message more.
    private static let share = 256 << 10

    /// Goes on with every framing that somebody reads, as far as there is room.
    func translate() {
        for translated in translations.logs {
            guard translated.readerCount > 0 else {
                translated.skipSource()
                continue
            }
            translated.translate(atMost: Self.share)
            let losses = translated.takeLosses()
            if !losses.isEmpty { notTranslated(losses, for: translated) }
        }
    }

    private func notTranslated(_ losses: UnrepresentableMessages, for log: TranslatedLog) {
        for socket in configuration.sockets where translations.log(of: socket.name) === log {
            guard admission.count(on: socket.name) > 0 else { continue }
            report(losses, socket.name, .toClients, disconnects: log.stopsAtLoss)
        }
        guard log.stopsAtLoss, let reason = losses.amounts.keys.first else { return }
        for client in clients.reversed() where client.log === log {
            // What came before is for them.
            if client.isWritable && !client.isHungUp { flush(client) }
            if client.slot >= 0 { leave(client, .unrepresentable(reason, .toClients)) }
        }
    }

    func report(
        _ losses: UnrepresentableMessages, _ socket: String, _ direction: Unrepresentable.Direction,
        disconnects: Bool
    ) {
        for (reason, skipped) in losses.amounts {
            record(.unrepresentable, skipped.amount(since: Skipped()))
            let what = Unrepresentable(
                socket: socket, direction: direction, reason: reason, disconnects: disconnects)
            report(.unrepresentable(what))
        }
    }
}
