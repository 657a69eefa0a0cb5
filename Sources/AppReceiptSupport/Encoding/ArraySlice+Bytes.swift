#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ArraySlice<UInt8> {
    /// Returns the part at positions that count from the start of this slice.
    package func part(_ range: Range<Int>) -> ArraySlice<UInt8> {
        self[startIndex + range.lowerBound..<startIndex + range.upperBound]
    }

    /// Whether both slices contain the same bytes.
    ///
    /// `==` compares byte by byte, and certificates are compared for each receipt (budget: verify a 6 KB receipt warm).
    package func isSame(as other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // `Span` has no comparison. Both buffers are `count` bytes long.
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, count) == 0
            }
        }
    }

    /// The text without a UTF-8 byte order mark at its beginning, which some Windows tools write.
    package var withoutByteOrderMark: ArraySlice<UInt8> {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self
    }

    /// The text without whitespace at its ends.
    package var trimmingWhitespace: ArraySlice<UInt8> {
        var text = drop(while: Base64.isWhitespace)
        while let last = text.last, Base64.isWhitespace(last) { text = text.dropLast() }
        return text
    }

    /// Whether the text looks like a compact JWS: three segments, the first of which starts with `{"` in base64url.
    package var isPlausibleJWS: Bool {
        starts(with: "eyJ".utf8) && reduce(0) { $0 + ($1 == UInt8(ascii: ".") ? 1 : 0) } == 2
    }
}
