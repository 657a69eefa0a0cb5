import AppReceiptKit
import AppReceiptSupport

/// A bounded cache of the decoded headers of verified tokens. It saves decoding five kilobytes for each further token of a signer.
///
/// A lookup succeeds only if the encoded header matches an entry byte for byte, so the cache never changes a result. An entry isn't trusted: the
/// chain, the date and the signature are verified for every token. Only headers that a verified signer signed are added, so an attacker
/// cannot evict them.
final class JWSHeaderCache: Sendable {
    static let maxHeaders = 16
    static let maxBytes = 16 << 10

    private let known = LockedValueBox<[(segment: ArraySlice<UInt8>, header: JWSHeader)]>([])

    func header(_ segment: ArraySlice<UInt8>) -> JWSHeader? {
        // Copy under the lock, compare outside of it.
        let headers = known.withLock { $0 }
        return headers.first { $0.segment.isSame(as: segment) }?.header
    }

    func insert(_ header: JWSHeader, _ segment: ArraySlice<UInt8>) {
        guard segment.count <= Self.maxBytes else { return }
        // A copy, because a slice would retain the whole token.
        let copy = Array(segment)[...]
        known.withLock { headers in
            guard !headers.contains(where: { $0.segment.isSame(as: copy) }) else { return }
            if headers.count == Self.maxHeaders { headers.removeFirst() }
            headers.append((copy, header))
        }
    }

    var count: Int { known.withLock { $0.count } }
}
