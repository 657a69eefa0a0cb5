#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A string that equals only strings with the same bytes.
///
/// `String` also equals strings in another Unicode normalization, which are other products to the App Store.
package struct ExactString: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactString, right: ExactString) -> Bool {
        // `elementsEqual` compares byte by byte (budget: entitlements of 20,000 purchases).
        let count = left.text.utf8.count
        guard count == right.text.utf8.count else { return false }
        let isEqual = unsafe left.text.utf8.withContiguousStorageIfAvailable { left in
            unsafe right.text.utf8.withContiguousStorageIfAvailable { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, count) == 0
            }
        }
        return isEqual.flatMap(\.self) ?? left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
