import AppReceiptKit
import AppReceiptSupport

/// Headers that a verifier has seen on tokens whose signature was good, so that the next token of the same signer need not
/// have the same five kilobytes decoded.
///
/// It never changes an answer: a header is known again only if it is the same octet by octet, and what is kept is what
/// reading it gives. Nothing is trusted for being here: chain, date and signature are judged for each token. Only
/// a header that a proven signer has signed comes in, so that nobody else can push one out.
final class JWSHeaderCache: Sendable {
    static let maxHeaders = 16
    static let maxOctets = 16 << 10

    private let known = LockedValueBox<[(segment: ArraySlice<UInt8>, header: JWSHeader)]>([])

    func header(_ segment: ArraySlice<UInt8>) -> JWSHeader? {
        // Looked through outside of the lock.
        let headers = known.withLock { $0 }
        return headers.first { $0.segment.isSame(as: segment) }?.header
    }

    func keep(_ header: JWSHeader, _ segment: ArraySlice<UInt8>) {
        guard segment.count <= Self.maxOctets else { return }
        // A copy, because the segment is a part of its token and would keep the whole of it.
        let copy = Array(segment)[...]
        known.withLock { headers in
            guard !headers.contains(where: { $0.segment.isSame(as: copy) }) else { return }
            if headers.count == Self.maxHeaders { headers.removeFirst() }
            headers.append((copy, header))
        }
    }

    var count: Int { known.withLock { $0.count } }
}
