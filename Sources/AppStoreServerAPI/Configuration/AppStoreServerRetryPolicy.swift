/// A policy for repeating requests that failed.
///
/// A client repeats what may succeed the next time: the errors that Apple announces as retryable, HTTP 429 and 5xx,
/// broken connections and time-outs. A request that isn't safe to repeat is only repeated if the App Store refused it.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerRetryPolicy: Sendable, Hashable {
    /// The maximum number of times a request is sent, the first included.
    public var maxAttempts: Int
    /// The wait before the first repetition. Each further wait is twice as long, up to ``maxDelay``. A random part of
    /// up to half is subtracted, so that clients that failed together don't return together. After Apple's error
    /// 5000000, which may last, the waits are eight times as long, also up to ``maxDelay``.
    public var initialDelay: Duration
    /// The longest wait between two attempts, unless the response requires a longer one.
    public var maxDelay: Duration
    /// The longest wait that a response may require with `Retry-After`. If it requires more, the request fails with
    /// `rate-limited`.
    public var maxRetryAfter: Duration

    /// Creates a policy.
    public init(
        maxAttempts: Int = 4, initialDelay: Duration = .seconds(1), maxDelay: Duration = .seconds(20),
        maxRetryAfter: Duration = .seconds(60)
    ) {
        self.maxAttempts = maxAttempts
        self.initialDelay = initialDelay
        self.maxDelay = maxDelay
        self.maxRetryAfter = maxRetryAfter
    }

    /// Every request is sent once.
    public static let disabled = AppStoreServerRetryPolicy(maxAttempts: 1)

    /// Returns the wait after an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed, counted from 1.
    ///   - random: A random number from 0 to 1.
    func delay(afterAttempt attempt: Int, random: Double) -> Duration {
        var delay = initialDelay
        for _ in 1..<max(attempt, 1) where delay < maxDelay { delay = delay * 2 }
        return min(delay, maxDelay) * (1 - min(max(random, 0), 1) / 2)
    }
}
