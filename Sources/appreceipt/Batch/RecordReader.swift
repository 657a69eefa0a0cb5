import AppReceiptParsing
import AppReceiptSupport
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
    static let maxOctetsOfRecord = ReceiptLimits.default.inputBytes + (1 << 20)
    static let octetsOfBlock = 256 << 10
    /// The answer to a record may be longer than the record.
    private static let maxRecordsOfBlock = 1024

    let format: RecordFormat
    /// The columns of a CSV; empty for NDJSON.
    let columns: [String]
    /// What the input is read from.
    let descriptor: Int32

    /// Octets that were read; those before `start` were given out already.
    private var buffer: [UInt8] = []
    private var start = 0
    /// The number of the line that the next block begins with.
    private(set) var line = 1
    private var isAtEnd = false

    /// - Throws: `ExitCode` 66 with a message if the input cannot be read, 64 if it is a CSV without usable header.
    init(path: String, format: RecordFormat?) throws {
        descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else {
            Terminal.complain("\(path): \(unsafe String(cString: strerror(errno)))")
            throw ExitCode(66)
        }
        do {
            try Self.fill(&buffer, from: descriptor, upTo: Self.octetsOfBlock, &isAtEnd, stopsEarly: true)
        } catch {
            Terminal.complain("\(path): \(error.reason)")
            throw ExitCode(66)
        }
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        if let hint = Self.hint(buffer[start...]), format == nil {
            Terminal.complain("\(path): \(hint)")
            throw ExitCode(64)
        }
        let first = buffer[start...].first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        self.format = format ?? (first == UInt8(ascii: "{") || first == nil ? .ndjson : .csv)
        guard self.format == .csv else {
            columns = []
            return
        }
        var header = CSVRecords(buffer[start...], firstLine: 1)
        var names = header.next(most: CSVHeader.maxColumns)
        if names?.isEnded != true, !isAtEnd {
            // Only a part of it has come through a pipe so far.
            try? Self.fill(&buffer, from: descriptor, upTo: Self.octetsOfBlock, &isAtEnd, stopsEarly: false)
            header = CSVRecords(buffer[start...], firstLine: 1)
            names = header.next(most: CSVHeader.maxColumns)
        }
        do throws(CSVHeader.Malformed) {
            columns = try CSVHeader.columns(of: names)
        } catch {
            Terminal.complain("\(path): \(error.reason) See appreceipt help batch.")
            throw ExitCode(64)
        }
        line = header.line
        start += header.position
    }

    /// What people pass in place of records, and what to do about it.
    private static func hint(_ octets: ArraySlice<UInt8>) -> String? {
        if octets.starts(with: [0x1F, 0x8B]) { return "this is compressed with gzip; pipe it through zcat." }
        if octets.starts(with: [0xFF, 0xFE]) || octets.starts(with: [0xFE, 0xFF]) {
            return "this is UTF-16; write it as UTF-8."
        }
        if octets.starts(with: [0x30, 0x82]) || octets.starts(with: [0x30, 0x80]) || octets.starts(with: [0x30, 0x83]) {
            return "this is a receipt; for one of them there is appreceipt validate."
        }
        if octets.first(where: { !Base64.isWhitespace($0) }) == UInt8(ascii: "[") {
            return "this is a list of JSON; make an object a line of it, with jq -c '.[]' for instance."
        }
        return nil
    }

    /// The next records, nil if there are none.
    mutating func next() throws(Failure) -> Block? {
        var wanted = Self.octetsOfBlock
        while true {
            if let end = endOfRecords(isAtEnd: isAtEnd) { return take(end) }
            if isAtEnd { return start == buffer.count ? nil : take(buffer.count) }
            guard buffer.count - start <= Self.maxOctetsOfRecord else { return try skipRecord() }
            buffer.removeFirst(start)
            start = 0
            // Twice as much each time, so that a long record is not looked through again and again.
            wanted = max(wanted, buffer.count * 2)
            // A line break may be part of a CSV's field: looking whether it is takes the whole of the record.
            try Self.fill(&buffer, from: descriptor, upTo: wanted, &isAtEnd, stopsEarly: format == .ndjson)
        }
    }

    /// What stands up to `end`.
    private mutating func take(_ end: Int) -> Block {
        let bytes: ArraySlice<UInt8> =
            start == 0 && end == buffer.count ? buffer[...] : ArraySlice(Array(buffer[start..<end]))
        let block = Block(bytes: bytes, firstLine: line)
        line += bytes.span.count(of: UInt8(ascii: "\n"), in: 0..<bytes.count)
        start = end
        return block
    }

    /// Passes over the record that comes next.
    private mutating func skipRecord() throws(Failure) -> Block {
        // Within quotation marks a line break would be taken for the end of the record, and what follows for another.
        guard format == .ndjson else {
            let megabytes = Self.maxOctetsOfRecord >> 20
            throw Failure(
                reason:
                    "the record that begins on line \(line) is longer than \(megabytes) MiB; is a quotation mark never closed?"
            )
        }
        let block = Block(bytes: ArraySlice(Array(buffer[start..<start + 1024])), firstLine: line, isTooLong: true)
        while true {
            let octets: ArraySlice<UInt8> = buffer[start...]
            if let end = octets.span.firstIndex(of: UInt8(ascii: "\n"), in: 0..<octets.count) {
                start += end + 1
                line += 1
                return block
            }
            buffer = []
            start = 0
            guard !isAtEnd else { return block }
            try Self.fill(&buffer, from: descriptor, upTo: Self.octetsOfBlock, &isAtEnd, stopsEarly: false)
        }
    }

    /// Where the last of the whole records ends that make up the next block, nil if there is none.
    private func endOfRecords(isAtEnd: Bool) -> Int? {
        let octets: ArraySlice<UInt8> = buffer[start...]
        let span = octets.span
        var end: Int?
        var records = 0
        switch format {
        case .ndjson:
            var position = 0
            while records < Self.maxRecordsOfBlock,
                let newline = span.firstIndex(of: UInt8(ascii: "\n"), in: position..<span.count)
            {
                position = newline + 1
                end = position
                records += 1
            }
        case .csv:
            var walk = CSVRecords(octets, firstLine: 1)
            while records < Self.maxRecordsOfBlock, let record = walk.next(most: 0), record.isEnded {
                end = walk.position
                records += 1
            }
        }
        return end.map { start + $0 }
    }

    /// Reads until there are so many octets or the input ends.
    ///
    /// - Parameter stopsEarly: whether what comes bit by bit is handed on as soon as a line has ended, so that whoever writes
    ///   it need not wait for an answer.
    private static func fill(
        _ buffer: inout [UInt8], from descriptor: Int32, upTo wanted: Int, _ isAtEnd: inout Bool, stopsEarly: Bool
    ) throws(Failure) {
        guard buffer.count < wanted, !isAtEnd else { return }
        var chunk = [UInt8](repeating: 0, count: wanted - buffer.count)
        var filled = 0
        while filled < chunk.count {
            let count = unsafe chunk.withUnsafeMutableBytes { octets in
                unsafe read(descriptor, octets.baseAddress.map { unsafe $0 + filled }, octets.count - filled)
            }
            if count == 0 {
                isAtEnd = true
                break
            }
            if count < 0 {
                guard errno == EINTR else { throw Failure(reason: unsafe String(cString: strerror(errno))) }
                continue
            }
            let hasLine = stopsEarly && chunk[filled..<filled + count].contains(UInt8(ascii: "\n"))
            filled += count
            if hasLine { break }
        }
        if buffer.isEmpty {
            chunk.removeLast(chunk.count - filled)
            buffer = chunk
        } else {
            buffer += chunk[..<filled]
        }
    }
}

/// The first record of a CSV, which names its columns.
enum CSVHeader {
    static let maxColumns = 1000

    struct Malformed: Error {
        let reason: String
    }

    static func columns(of header: CSVRecords.Record?) throws(Malformed) -> [String] {
        guard let header, !header.isMalformed, header.count <= maxColumns else {
            throw Malformed(reason: "the first line is no list of columns.")
        }
        let columns = header.fields.map(\.text)
        guard columns.contains("receipt") || columns.contains("path") else {
            throw Malformed(
                reason:
                    "taken for CSV, because it does not begin with '{' (--format ndjson if it is none); its first line names no column 'receipt' or 'path'."
            )
        }
        var seen: Set<String> = []
        for column in columns where BatchRecord.Member(rawValue: column) != nil {
            guard seen.insert(column).inserted else {
                throw Malformed(reason: "the column '\(column)' is there twice.")
            }
        }
        // What is expected of receipts must not fall away because a name is misspelled.
        let others = columns.filter { BatchRecord.Member(rawValue: $0) == nil && !$0.isEmpty }
        if !others.isEmpty {
            Terminal.note("Columns that mean nothing here: \(others.prefix(10).joined(separator: ", "))")
        }
        return columns
    }
}
