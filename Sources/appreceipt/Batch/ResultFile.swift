import AppReceiptParsing
import AppReceiptSupport

/// A file with results of an earlier run.
struct ResultFile {
    let descriptor: Int32
    let size: Int
    let format: ResultFormat

    private static let chunkBytes = 1 << 16

    /// The end of the last complete row, and its record; nil instead of the record if there is no complete row.
    ///
    /// - Returns: nil if the file contains anything other than results in this format.
    func lastResult() -> (end: Int, result: ResultWriter.LastResult?)? {
        let beginning = format.beginning
        guard let head = bytes(from: 0, count: min(size, beginning.count)), beginning.starts(with: head),
            let quotes = format.isCSV ? quotationMarks() : 0
        else { return nil }
        // Read from the end, more each time, until it contains all rows of the last record.
        var count = Self.chunkBytes
        while true {
            count = min(count, size)
            guard let tail = bytes(from: size - count, count: count) else { return nil }
            let isWhole = count == size
            var starts = rowStarts(in: tail, quotesInFile: quotes)
            // The first result of NDJSON begins the file; that of CSV follows the header.
            if isWhole, !format.isCSV { starts.insert(0, at: 0) }
            if starts.count > 1 {
                guard let last = lastRecord(in: tail, rowStarts: starts), isPlausible(tail[starts[starts.count - 1]...])
                else {
                    return nil
                }
                let first = firstRow(of: last.line, in: tail, rowStarts: starts)
                if first > 0 || isWhole || !format.hasSeveralRows {
                    let start = size - count + starts[first]
                    return (
                        size - count + starts[starts.count - 1],
                        ResultWriter.LastResult(line: last.line, id: last.id, start: start)
                    )
                }
            } else if isWhole {
                return (starts.first ?? 0, nil)
            }
            count *= 4
        }
    }

    /// Returns whether an incomplete row may be the beginning of a result.
    private func isPlausible(_ rest: ArraySlice<UInt8>) -> Bool {
        format.isCSV || rest.starts(with: format.beginning) || format.beginning.starts(with: rest)
    }

    /// Returns the first of the last rows that belong to the record on a line.
    private func firstRow(of line: Int, in tail: ArraySlice<UInt8>, rowStarts starts: [Int]) -> Int {
        var first = starts.count - 2
        while format.hasSeveralRows, first > 0,
            format.record(ofRow: tail[starts[first - 1]..<starts[first]])?.line == line
        {
            first -= 1
        }
        return first
    }

    /// Returns the record of the last complete row.
    private func lastRecord(in tail: ArraySlice<UInt8>, rowStarts starts: [Int]) -> (line: Int, id: [UInt8]?)? {
        format.record(ofRow: tail[starts[starts.count - 2]..<starts[starts.count - 1]])
    }

    /// Returns the positions after line breaks that end rows, rather than being part of a field of CSV.
    ///
    /// - Parameter quotes: The number of quotation marks in the file. CSV doubles those inside of fields.
    private func rowStarts(in tail: ArraySlice<UInt8>, quotesInFile quotes: Int) -> [Int] {
        let quotesInTail = tail.count { $0 == UInt8(ascii: "\"") }
        var isQuoted = (quotes - quotesInTail) % 2 == 1
        var starts: [Int] = []
        for (position, byte) in tail.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: "\n"), !isQuoted || !format.isCSV { starts.append(position + 1) }
        }
        return starts
    }

    /// Returns the number of quotation marks in the file; nil if it can't be read.
    private func quotationMarks() -> Int? {
        var count = 0
        for start in stride(from: 0, to: size, by: Self.chunkBytes) {
            guard let chunk = bytes(from: start, count: min(Self.chunkBytes, size - start)) else { return nil }
            count += chunk.count { $0 == UInt8(ascii: "\"") }
        }
        return count
    }

    private func bytes(from start: Int, count: Int) -> ArraySlice<UInt8>? {
        var buffer = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    descriptor, bytes.baseAddress.map { unsafe $0 + filled }, bytes.count - filled,
                    off_t(start + filled))
            }
            guard got > 0 else { return nil }
            filled += got
        }
        return buffer[...]
    }
}
