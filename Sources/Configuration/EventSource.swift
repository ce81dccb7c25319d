import CYAML

/// A step of libyaml through a file.
struct Event {
    enum Kind {
        case scalar(String, plain: Bool)
        case listStart
        case listEnd
        case mappingStart
        case mappingEnd
        case alias
        case documentStart
        case documentEnd
        case streamStart
        case streamEnd
    }
    var kind: Kind
    var position: Position
    var isAnchored = false
    var isTagged = false
}

/// What makes a file unreadable as YAML: the only error of its file.
struct SyntaxError: Error {
    var position: Position?
    var message: String
}

/// The owner of a libyaml parser.
///
/// Safe: both pointers are private, allocated in `init` and freed in `deinit` only: valid in between.
@safe final class EventSource {
    /// On the heap, since libyaml keeps the parser's own address in it.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// libyaml reads in place.
    private let input: UnsafeMutableBufferPointer<UInt8>

    /// `nil` if memory is short. What is not UTF-8 in `bytes` is an error of `next`.
    init?(_ bytes: [UInt8]) {
        unsafe input = .allocate(capacity: bytes.count)
        _ = unsafe input.initialize(from: bytes)
        unsafe parser = .allocate(capacity: 1)
        guard unsafe yaml_parser_initialize(parser) == 1 else {
            unsafe parser.deallocate()
            unsafe input.deallocate()
            return nil
        }
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    /// The next event; `streamEnd` again and again after the last.
    func next() throws(SyntaxError) -> Event {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw failure() }
        defer { unsafe yaml_event_delete(&event) }
        var result = unsafe Event(kind: kind(of: event), position: Position(event.start_mark))
        switch unsafe event.type {
        case YAML_SCALAR_EVENT:
            unsafe result.isAnchored = event.data.scalar.anchor != nil
            unsafe result.isTagged = event.data.scalar.tag != nil
        case YAML_SEQUENCE_START_EVENT:
            unsafe result.isAnchored = event.data.sequence_start.anchor != nil
            unsafe result.isTagged = event.data.sequence_start.tag != nil
        case YAML_MAPPING_START_EVENT:
            unsafe result.isAnchored = event.data.mapping_start.anchor != nil
            unsafe result.isTagged = event.data.mapping_start.tag != nil
        default: break
        }
        return result
    }

    private func kind(of event: yaml_event_t) -> Event.Kind {
        switch unsafe event.type {
        case YAML_SCALAR_EVENT:
            let bytes = unsafe UnsafeBufferPointer(
                start: event.data.scalar.value, count: event.data.scalar.length)
            let plain = unsafe event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE
            return unsafe .scalar(String(decoding: bytes, as: UTF8.self), plain: plain)
        case YAML_SEQUENCE_START_EVENT: return .listStart
        case YAML_SEQUENCE_END_EVENT: return .listEnd
        case YAML_MAPPING_START_EVENT: return .mappingStart
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        case YAML_ALIAS_EVENT: return .alias
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_STREAM_START_EVENT: return .streamStart
        default: return .streamEnd
        }
    }

    /// libyaml's own words about what stopped it.
    private func failure() -> SyntaxError {
        guard let words = unsafe parser.pointee.problem else {
            return SyntaxError(position: nil, message: "cannot be parsed: memory is short")
        }
        let problem = unsafe String(cString: words)
        if unsafe parser.pointee.error == YAML_READER_ERROR {
            let position = position(ofByte: unsafe parser.pointee.problem_offset)
            return SyntaxError(position: position, message: "not UTF-8 text: \(problem)")
        }
        let position = unsafe Position(parser.pointee.problem_mark)
        var message = "not YAML: \(problem)"
        if let context = unsafe parser.pointee.context {
            let line = unsafe Position(parser.pointee.context_mark).line
            let beginning = line < position.line ? ", which began on line \(line)" : ""
            message += unsafe " (\(String(cString: context))\(beginning))"
        }
        let text = unsafe String(decoding: input, as: UTF8.self).unicodeScalars
        if unsafe text.dropFirst(parser.pointee.problem_mark.index).first == "\t" {
            message += "; indent with spaces, not tabs"
        }
        return SyntaxError(position: position, message: message)
    }

    /// Where a byte stands, for the errors that libyaml gives no line for.
    private func position(ofByte offset: Int) -> Position {
        let before = unsafe input.prefix(offset)
        let line = unsafe before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = unsafe before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let continuations = unsafe before[start...].count { $0 & 0xC0 == 0x80 }
        return unsafe Position(line: line, column: before.count - start - continuations + 1)
    }
}

extension Position {
    /// libyaml counts from 0.
    init(_ mark: yaml_mark_t) {
        self.init(line: mark.line + 1, column: mark.column + 1)
    }
}
