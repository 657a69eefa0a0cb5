import CZlib

/// Decompresses gzip (RFC 1952) with zlib, also several compressed files one after another.
///
/// A call returns at most the requested number of bytes, so the memory in use doesn't depend on the expansion.
/// Checksums and lengths are compared.
@safe
final class GzipInflater: @unchecked Sendable {
    /// The reason the data can't be decompressed.
    struct Fault: Error {
        let reason: String
    }

    /// The bytes with which every gzip file begins.
    static let beginning: [UInt8] = [0x1F, 0x8B]

    /// zlib remembers its address.
    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether the next byte begins a compressed file.
    private(set) var isBetweenFiles = true

    /// Creates an inflater; nil without memory.
    init?() {
        unsafe stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 16: gzip, rather than zlib's own format.
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        guard unsafe inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, size) == Z_OK else { return nil }
    }

    deinit {
        _ = unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decompresses a part of the input.
    ///
    /// - Parameters:
    ///   - input: The compressed bytes that follow those of the last call.
    ///   - count: The maximum number of bytes to append.
    ///   - output: The bytes to append to.
    /// - Returns: The number of bytes of the input that were used.
    func inflate(_ input: ArraySlice<UInt8>, atMost count: Int, into output: inout [UInt8]) throws(Fault) -> Int {
        // Tapes and some tools fill the last block with zeros.
        let padding = isBetweenFiles ? input.prefix { $0 == 0 }.count : 0
        guard padding < input.count else { return padding }
        var (input, used, status) = (input.dropFirst(padding), padding, Z_OK)
        var chunk = [UInt8](repeating: 0, count: count)
        let produced = unsafe chunk.withUnsafeMutableBufferPointer { chunk in
            unsafe input.withUnsafeMutableBufferPointer { input in
                unsafe stream.pointee.next_in = input.baseAddress
                unsafe stream.pointee.avail_in = UInt32(input.count)
                unsafe stream.pointee.next_out = chunk.baseAddress
                unsafe stream.pointee.avail_out = UInt32(count)
                status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                used += unsafe input.count - Int(stream.pointee.avail_in)
                return unsafe count - Int(stream.pointee.avail_out)
            }
        }
        output.append(contentsOf: chunk[..<produced])
        switch status {
        // Z_BUF_ERROR: more input is necessary.
        case Z_OK, Z_BUF_ERROR: isBetweenFiles = false
        case Z_STREAM_END:
            isBetweenFiles = true
            _ = unsafe inflateReset(stream)
        default:
            let reason = unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "error \(status)"
            throw Fault(reason: "The compressed data is damaged: \(reason).")
        }
        return used
    }
}
