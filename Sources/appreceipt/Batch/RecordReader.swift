import AppReceiptParsing
import AppReceiptSupport
import ArgumentParser

/// Reads an input of any length in blocks of whole records. Gzip is decompressed.
struct RecordReader {
    /// Consecutive records.
    struct Block {
        let bytes: ArraySlice<UInt8>
        /// The number of its first line, from 1.
        let firstLine: Int
        /// The position in the input after it.
        var end = 0
        /// Whether this is the beginning of a record that exceeds the limit. The rest of the record was skipped.
        var isTooLong = false
    }

    /// Room for the base64 of the largest receipt and for the other members.
    static let maxRecordBytes = ReceiptLimits.default.maxInputBytes + (1 << 20)
    static let blockBytes = 256 << 10
    /// Limits the results of a block in memory: a result may be longer than its record.
    private static let maxBlockRecords = 1024

    /// The advice for the files of a folder.
    static let waysToPassFiles =
        "To validate each file of a folder: (echo path; ls FOLDER/*) | appreceipt batch - --id path"

    private(set) var format: RecordFormat
    /// The meanings of the columns of CSV; empty for NDJSON.
    private(set) var columns: [BatchRecord.Member?] = []
    private(set) var source: RecordSource

    /// The number of bytes of the input; nil if it isn't known.
    var size: Int? { source.size }

    /// The bytes that were read. Those before `start` are in earlier blocks.
    private var buffer: [UInt8] = []
    private var start = 0
    /// The number of the next block's first line.
    private(set) var line = 1
    /// The number of bytes in earlier blocks.
    private var position = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - format: The format; nil to detect it.
    ///   - id: The name of the member or column with the id.
    /// - Throws: `ExitCode` 66 with a message if the input can't be read, 64 if it isn't records or is CSV without a
    ///   usable header.
    init(path: String, format: RecordFormat?, id: String = "id") throws {
        do throws(ByteSource.Failure) {
            source = try RecordSource(path: path)
            self.format = format ?? .ndjson
            try fill(upTo: Self.blockBytes, stopsEarly: true)
        } catch {
            let isFolder = InputReader.isDirectory(path)
            throw InputReader.unreadable(
                path, because: error.reason + (isFolder ? ". \(Self.waysToPassFiles)" : ""))
        }
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        if let hint = Self.hint(buffer[start...]), format == nil {
            throw UsageError.exit("\(path): \(hint)")
        }
        if format == nil, !Self.isLines(buffer[start...]) { self.format = .csv }
        if self.format == .csv {
            do throws(CSVHeader.Malformed) {
                try readHeader(id: id)
            } catch {
                throw UsageError.exit("\(path): \(error.reason) See 'appreceipt help batch'.")
            }
        }
        position = start
    }

    private mutating func readHeader(id: String) throws(CSVHeader.Malformed) {
        var header = CSVRecords(buffer[start...], firstLine: 1)
        var names = header.next(maxFields: CSVHeader.maxColumns)
        if names?.isEnded != true, !isAtEnd {
            // A pipe may have delivered only a part of the header so far.
            try? fill(upTo: Self.blockBytes, stopsEarly: false)
            header = CSVRecords(buffer[start...], firstLine: 1)
            names = header.next(maxFields: CSVHeader.maxColumns)
        }
        columns = try CSVHeader.columns(of: names, id: id)
        line = header.line
        start += header.position
    }

    /// Returns whether the input begins with an object, a receipt or a token, rather than with the header of CSV.
    private static func isLines(_ bytes: ArraySlice<UInt8>) -> Bool {
        let text = bytes.drop(while: Base64.isWhitespace)
        guard let first = text.first, first != UInt8(ascii: "{") else { return true }
        let data = text.drop { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }.prefix(64)
        guard !data.contains(UInt8(ascii: ",")) else { return false }
        if ["eyJ", "Bearer "].contains(where: { data.starts(with: $0.utf8) }) { return true }
        if data.first == UInt8(ascii: "e"), let beginning = try? Base64.decode(data.prefix(60)),
            ReceiptInput.isTransactionReceipt(beginning[...])
        {
            return true
        }
        // Base64 of a sequence whose length is indefinite or has one to four bytes.
        let letters = UInt8(ascii: "A")...UInt8(ascii: "T")
        return data.starts(with: "MI".utf8) && data.dropFirst(2).first.map(letters.contains) == true
    }

    /// Returns the remedy for an input that isn't records; nil if it may be records.
    private static func hint(_ bytes: ArraySlice<UInt8>) -> String? {
        if bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
            return "The input is compressed with Zstandard, and only gzip is decompressed. Pipe it through zstdcat."
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return "The input is UTF-16. Convert it to UTF-8."
        }
        if bytes.starts(with: [0x30, 0x82]) || bytes.starts(with: [0x30, 0x80]) || bytes.starts(with: [0x30, 0x83]) {
            return "The input is a receipt. For a single receipt, use 'appreceipt validate'."
        }
        if bytes.first(where: { !Base64.isWhitespace($0) }) == UInt8(ascii: "[") {
            return "The input is a JSON array. Convert it to one object per line, for example with jq -c '.[]'."
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2)
        // A receipt has more than a thousand characters, and encoders wrap lines after 64 or 76.
        if lines.count > 1, lines[0].count <= 77, lines[0].starts(with: "MI".utf8), isLines(lines[0]),
            !isLines(lines[1])
        {
            return "The base64 has line breaks in it. Write each receipt on one line, for example with base64 -w 0. "
                + "For a single receipt, use 'appreceipt validate'. To read every line as a record, pass --format "
                + "ndjson."
        }
        return nil
    }

    /// Returns the next records; nil at the end of the input.
    mutating func next() throws(ByteSource.Failure) -> Block? {
        var wanted = Self.blockBytes
        while true {
            if let end = endOfRecords() { return take(end) }
            if isAtEnd { return start == buffer.count ? nil : take(buffer.count) }
            guard buffer.count - start <= Self.maxRecordBytes else { return try skipRecord() }
            buffer.removeFirst(start)
            start = 0
            // Doubled each time: otherwise the search for the end of a long record takes quadratic time.
            wanted = max(wanted, buffer.count * 2)
            // In CSV, a line break may be part of a field, so the whole record is necessary anyway.
            try fill(upTo: wanted, stopsEarly: format == .ndjson)
        }
    }

    /// Removes the bytes up to `end` from the buffer.
    private mutating func take(_ end: Int) -> Block {
        let bytes: ArraySlice<UInt8> =
            start == 0 && end == buffer.count ? buffer[...] : ArraySlice(Array(buffer[start..<end]))
        position += end - start
        let block = Block(bytes: bytes, firstLine: line, end: source.compressedPosition ?? position)
        line += bytes.span.count(of: UInt8(ascii: "\n"), in: 0..<bytes.count)
        start = end
        return block
    }

    /// Skips the next record, which exceeds the limit.
    private mutating func skipRecord() throws(ByteSource.Failure) -> Block {
        // A line break in quotation marks would be mistaken for the end of the record, and the text after it for
        // another record.
        guard format == .ndjson else {
            let megabytes = Self.maxRecordBytes >> 20
            throw ByteSource.Failure(
                reason:
                    "The record on line \(line) is longer than \(megabytes) MiB. Check for an unclosed quotation mark.")
        }
        var block = Block(bytes: ArraySlice(Array(buffer[start..<start + 1024])), firstLine: line, isTooLong: true)
        while true {
            let bytes: ArraySlice<UInt8> = buffer[start...]
            let end = bytes.span.firstIndex(of: UInt8(ascii: "\n"), in: 0..<bytes.count)
            position += end.map { $0 + 1 } ?? bytes.count
            block.end = source.compressedPosition ?? position
            if let end {
                start += end + 1
                line += 1
                return block
            }
            buffer = []
            start = 0
            guard !isAtEnd else { return block }
            try fill(upTo: Self.blockBytes, stopsEarly: false)
        }
    }

    /// Returns the end of the last whole record of the next block; nil if there is none.
    private func endOfRecords() -> Int? {
        let bytes: ArraySlice<UInt8> = buffer[start...]
        let span = bytes.span
        var end: Int?
        var records = 0
        switch format {
        case .ndjson:
            var position = 0
            while records < Self.maxBlockRecords,
                let newline = span.firstIndex(of: UInt8(ascii: "\n"), in: position..<span.count)
            {
                position = newline + 1
                end = position
                records += 1
            }
        case .csv:
            var csv = CSVRecords(bytes, firstLine: 1)
            while records < Self.maxBlockRecords, let record = csv.next(maxFields: 0), record.isEnded {
                end = csv.position
                records += 1
            }
        }
        return end.map { start + $0 }
    }

    /// Reads until the buffer has `wanted` bytes or the input ends.
    ///
    /// - Parameter stopsEarly: Whether to return once a line has ended, so that a writer of a pipe that waits for a
    ///   result gets it.
    private mutating func fill(upTo wanted: Int, stopsEarly: Bool) throws(ByteSource.Failure) {
        while buffer.count < wanted, !isAtEnd {
            let count = try source.read(atMost: min(wanted - buffer.count, Self.blockBytes), into: &buffer)
            isAtEnd = count == 0
            if stopsEarly, buffer.suffix(count).contains(UInt8(ascii: "\n")) { break }
        }
    }
}

/// The format of the records.
enum RecordFormat: String, ExpressibleByArgument, CaseIterable {
    case ndjson, csv
}
