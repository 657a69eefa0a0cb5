import AppReceiptParsing
import ArgumentParser

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Whole records of an input of any length, some hundred kilobytes at a time.
struct RecordReader {
    /// Records that stand one after the other.
    struct Block {
        let bytes: ArraySlice<UInt8>
        /// The number of its first line, from 1.
        let firstLine: Int
        /// Whether this is the beginning of a record that is longer than any may be; the rest of it was passed over.
        var isTooLong = false
    }

    struct Failure: Error {
        let reason: String
    }

    /// Base64 of the largest receipt, and room for what stands beside it.
    static let mostOctetsOfRecord = Limits.default.inputBytes + (1 << 20)
    private static let octetsOfBlock = 256 << 10

    let format: RecordFormat
    /// The columns of a CSV; empty for NDJSON.
    let columns: [String]

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var line = 1
    private var isAtEnd = false

    /// - Throws: `ExitCode` 66 with a message if the input cannot be read, 64 if it is a CSV without usable header.
    init(path: String, format: RecordFormat?) throws {
        descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else {
            Terminal.complain("\(path): \(unsafe String(cString: strerror(errno)))")
            throw ExitCode(66)
        }
        do {
            try Self.fill(&buffer, from: descriptor, upTo: Self.octetsOfBlock, &isAtEnd)
        } catch {
            Terminal.complain("\(path): \(error.reason)")
            throw ExitCode(66)
        }
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { buffer.removeFirst(3) }
        let start = buffer.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        self.format = format ?? (start == UInt8(ascii: "{") || start == nil ? .ndjson : .csv)
        guard self.format == .csv else {
            columns = []
            return
        }
        var header = CSVRecords(buffer[...], firstLine: 1)
        let fields = header.next()
        columns = (fields?.fields ?? []).map { $0.text }
        guard columns.contains("receipt") || columns.contains("path") else {
            Terminal.complain(
                "\(path): the first line names no column 'receipt' or 'path'. See appreceipt help batch.")
            throw ExitCode(64)
        }
        line = header.line
        buffer.removeFirst(header.position)
    }

    /// The next records, nil if there are none.
    mutating func next() throws(Failure) -> Block? {
        var wanted = Self.octetsOfBlock
        while true {
            try Self.fill(&buffer, from: descriptor, upTo: wanted, &isAtEnd)
            if buffer.isEmpty { return nil }
            if isAtEnd { return take(buffer.count) }
            if let end = endOfRecords() { return take(end) }
            guard buffer.count <= Self.mostOctetsOfRecord else { return try skipRecord() }
            // Twice as much each time, so that a long record is not looked through again and again.
            wanted = buffer.count * 2
        }
    }

    private mutating func take(_ count: Int) -> Block {
        let bytes = count == buffer.count ? buffer[...] : ArraySlice(Array(buffer[..<count]))
        let block = Block(bytes: bytes, firstLine: line)
        line += bytes.span.count(of: UInt8(ascii: "\n"))
        buffer = count == buffer.count ? [] : Array(buffer[count...])
        return block
    }

    /// Passes over the record that the buffer begins with.
    private mutating func skipRecord() throws(Failure) -> Block {
        let block = Block(bytes: ArraySlice(Array(buffer[..<1024])), firstLine: line, isTooLong: true)
        while true {
            let octets: ArraySlice<UInt8> = buffer[...]
            if let end = octets.span.firstIndex(of: UInt8(ascii: "\n"), in: 0..<octets.count) {
                buffer.removeFirst(end + 1)
                line += 1
                return block
            }
            buffer = []
            guard !isAtEnd else { return block }
            try Self.fill(&buffer, from: descriptor, upTo: Self.octetsOfBlock, &isAtEnd)
        }
    }

    /// Where the last whole record in the buffer ends, nil if there is none.
    private func endOfRecords() -> Int? {
        let octets: ArraySlice<UInt8> = buffer[...]
        let span = octets.span
        guard format == .csv else { return lastNewline(in: 0..<span.count).map { $0 + 1 } }
        // Within quotation marks a line break is part of a field. The buffer begins with a record.
        var end: Int?
        var position = 0
        while position < span.count {
            let quote = span.firstIndex(of: UInt8(ascii: "\""), in: position..<span.count) ?? span.count
            end = lastNewline(in: position..<quote).map { $0 + 1 } ?? end
            guard quote < span.count,
                let closing = span.firstIndex(of: UInt8(ascii: "\""), in: quote + 1..<span.count)
            else { break }
            position = closing + 1
        }
        return end
    }

    private func lastNewline(in range: Range<Int>) -> Int? { buffer[range].lastIndex(of: UInt8(ascii: "\n")) }

    /// Reads until there are so many octets or the input ends.
    private static func fill(
        _ buffer: inout [UInt8], from descriptor: Int32, upTo wanted: Int, _ isAtEnd: inout Bool
    ) throws(Failure) {
        guard buffer.count < wanted, !isAtEnd else { return }
        var chunk = [UInt8](repeating: 0, count: wanted - buffer.count)
        var filled = 0
        while filled < chunk.count {
            let count = unsafe chunk[filled...].withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 {
                isAtEnd = true
                break
            }
            if count < 0 {
                guard errno == EINTR else { throw Failure(reason: unsafe String(cString: strerror(errno))) }
                continue
            }
            filled += count
        }
        if buffer.isEmpty {
            chunk.removeLast(chunk.count - filled)
            buffer = chunk
        } else {
            buffer += chunk[..<filled]
        }
    }
}

extension Span<UInt8> {
    func count(of octet: UInt8) -> Int {
        var found = 0
        var position = 0
        while let next = firstIndex(of: octet, in: position..<count) {
            found += 1
            position = next + 1
        }
        return found
    }
}
