import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// A token bucket for each environment and endpoint. Copies of a client share it.
///
/// Apple enforces its limits by the hour. A full bucket together with a refill at nine tenths of the limit stays below
/// it.
@available(AppStoreServerAPI 1.0, *)
final class RateLimiter: Sendable {
    /// The group of endpoints for which requests are counted.
    struct Key: Hashable {
        let environment: AppStoreEnvironment
        let endpoint: APIRequest.Endpoint
    }

    private struct Bucket {
        /// The number of requests that may be sent now. Negative while requests wait.
        var tokens: Double
        var updated: Date
        /// The date until which the App Store refuses requests.
        var closedUntil = Date.distantPast
    }

    /// The result of a reservation.
    enum Reservation: Equatable {
        /// The request may be sent after this wait.
        case wait(TimeInterval)
        /// The request would have to wait too long. It can be sent at this date.
        case tooLong(Date)
    }

    private let share: Double
    private let buckets = LockedValueBox<[Key: Bucket]>([:])

    /// - Parameter share: The part of Apple's limits to use.
    init(share: Double) { self.share = share }

    /// Reserves a request.
    ///
    /// - Parameters:
    ///   - key: The environment and endpoint.
    ///   - now: The current time.
    ///   - deadline: The date after which the request isn't sent.
    func reserve(_ key: Key, now: Date, deadline: Date) -> Reservation {
        let rate = rate(key)
        return buckets.withLock { buckets in
            var bucket = buckets[key] ?? Bucket(tokens: Self.capacity(rate), updated: now)
            // A clock that was set back adds nothing.
            let elapsed = max(0, now.timeIntervalSince(bucket.updated))
            bucket.tokens = min(Self.capacity(rate), bucket.tokens + elapsed * rate)
            bucket.updated = now
            let refill = bucket.tokens >= 1 ? 0 : (1 - bucket.tokens) / rate
            let wait = max(refill, bucket.closedUntil.timeIntervalSince(now), 0)
            let date = now.addingTimeInterval(wait)
            defer { buckets[key] = bucket }
            guard date <= deadline else { return .tooLong(date) }
            bucket.tokens -= 1
            return .wait(wait)
        }
    }

    /// Returns a reservation that wasn't used.
    func giveBack(_ key: Key) {
        buckets.withLock { $0[key]?.tokens += 1 }
    }

    /// Delays all requests, because the App Store refused one.
    func close(_ key: Key, until date: Date) {
        buckets.withLock { buckets in
            guard let bucket = buckets[key] else { return }
            buckets[key]?.closedUntil = max(bucket.closedUntil, date)
        }
    }

    /// Returns the number of requests for each second.
    private func rate(_ key: Key) -> Double {
        key.endpoint.rules.requestsPerSecond * share * (key.environment == .production ? 1 : 0.1)
    }

    /// Returns one second's requests, and at least five, so that a few requests to a slow endpoint don't wait.
    private static func capacity(_ rate: Double) -> Double { max(rate, 5) }
}
