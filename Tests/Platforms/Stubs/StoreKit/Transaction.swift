public import Foundation

// The declarations of StoreKit 2 that the libraries and the example use, with the availability of Apple's interfaces.
// Tests set what `CustomerScript` returns.

/// A stand-in for StoreKit's result of verifying signed data.
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public enum VerificationResult<SignedType> {
    case unverified(SignedType, VerificationError)
    case verified(SignedType)

    public enum VerificationError: Error { case invalidSignature }
}

/// A stand-in for signed data, whose only member is its token.
public protocol TokenScripted: Sendable {
    var token: String { get }
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension VerificationResult: Sendable where SignedType: Sendable {}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension VerificationResult where SignedType: TokenScripted {
    public var jwsRepresentation: String {
        switch self {
        case .unverified(let value, _), .verified(let value): value.token
        }
    }
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public struct Transaction: TokenScripted {
    public let token: String

    public static var all: Transactions { Transactions(results: CustomerScript.shared.transactions) }

    public static var updates: Transactions { Transactions(results: []) }

    public var id: UInt64 { 0 }

    public func finish() async {}

    public struct Transactions: AsyncSequence, Sendable {
        public typealias Element = VerificationResult<Transaction>
        let results: [Element]

        public struct AsyncIterator: AsyncIteratorProtocol {
            var remaining: ArraySlice<Element>

            public mutating func next() async -> Element? { remaining.popFirst() }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(remaining: results[...]) }
    }
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public struct Product: Sendable {
    public struct SubscriptionInfo: Sendable {
        public struct RenewalInfo: TokenScripted {
            public let token: String
        }

        public struct Status: Sendable {
            public let transaction: VerificationResult<Transaction>
            public let renewalInfo: VerificationResult<RenewalInfo>
        }

        public static func status(for groupID: String) async throws -> [Status] {
            try CustomerScript.shared.statuses(groupID)
        }
    }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public struct AppTransaction: TokenScripted {
    public let token: String

    public static var shared: VerificationResult<AppTransaction> {
        get async throws { try CustomerScript.shared.appTransaction }
    }
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public enum AppStore {
    public static var deviceVerificationID: UUID? { nil }

    public static func sync() async throws {}
}
