#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Span<UInt8> {
    /// Returns the first position of a byte within a range, or nil.
    package func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        let part = extracting(range)
        // `memchr` compares at least sixteen bytes at once; a loop over the span compares one.
        return unsafe part.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress, let found = unsafe memchr(start, Int32(byte), buffer.count) else {
                return nil
            }
            return unsafe range.lowerBound + (UnsafeRawPointer(found) - start)
        }
    }

    /// Whether a range contains a byte below 0x20.
    func hasControlCharacters(in range: Range<Int>) -> Bool { extracting(range).contains(below: 0x20) }

    /// Whether a byte is below `limit`.
    package func contains(below limit: UInt8) -> Bool {
        // Without the span's bounds checks the compiler vectorizes this loop.
        unsafe withUnsafeBufferPointer { unsafe $0.reduce(UInt8.max) { min($0, $1) } < limit }
    }

    /// Whether all bytes are below 0x80.
    package var isASCII: Bool {
        // Without the span's bounds checks the compiler vectorizes this loop.
        unsafe withUnsafeBufferPointer { unsafe $0.reduce(0) { $0 | $1 } < 0x80 }
    }
}
