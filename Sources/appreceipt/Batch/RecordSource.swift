import AppReceiptSupport

/// The bytes of the records: those of a file or pipe, decompressed if they are gzip.
struct RecordSource: Sendable {
    private let source: ByteSource
    /// The number of bytes of the input; nil if it isn't known.
    let size: Int?
    /// Nil unless the input is compressed.
    private let inflater: GzipInflater?
    /// Bytes of the input that weren't used yet.
    private var pending: [UInt8] = []
    /// The number of compressed bytes that were used.
    private var usedBytes = 0

    private static let chunkBytes = 64 << 10

    /// The descriptor of the input.
    var descriptor: Int32 { source.descriptor }

    /// The number of compressed bytes that were used; nil unless the input is compressed.
    var compressedPosition: Int? { inflater.map { _ in usedBytes } }

    /// Opens the input, and detects whether it is compressed.
    init(path: String) throws(ByteSource.Failure) {
        source = try ByteSource(path: path)
        size = source.remainingBytes
        // A pipe may deliver single bytes.
        while pending.count < GzipInflater.beginning.count,
            try source.read(atMost: Self.chunkBytes, into: &pending) > 0
        {}
        guard pending.starts(with: GzipInflater.beginning) else {
            inflater = nil
            return
        }
        inflater = GzipInflater()
        if inflater == nil { throw ByteSource.Failure(reason: "There isn't enough memory to decompress it.") }
    }

    /// Appends bytes of the records, at most `count`, and waits if there are none yet.
    ///
    /// - Returns: How many bytes were appended; 0 at the end of the input.
    mutating func read(atMost count: Int, into bytes: inout [UInt8]) throws(ByteSource.Failure) -> Int {
        guard let inflater else { return try readPlain(atMost: count, into: &bytes) }
        let start = bytes.count
        while bytes.count == start {
            if pending.isEmpty, try source.read(atMost: Self.chunkBytes, into: &pending) == 0 {
                guard inflater.isBetweenFiles else {
                    throw ByteSource.Failure(reason: "The compressed data is incomplete: the file was cut off.")
                }
                return 0
            }
            do throws(GzipInflater.Fault) {
                let used = try inflater.inflate(pending[...], atMost: count, into: &bytes)
                pending.removeFirst(used)
                usedBytes += used
            } catch {
                throw ByteSource.Failure(reason: error.reason)
            }
        }
        return bytes.count - start
    }

    private mutating func readPlain(atMost count: Int, into bytes: inout [UInt8]) throws(ByteSource.Failure) -> Int {
        guard !pending.isEmpty else { return try source.read(atMost: count, into: &bytes) }
        let read = min(count, pending.count)
        bytes.append(contentsOf: pending.prefix(read))
        pending.removeFirst(read)
        return read
    }
}
