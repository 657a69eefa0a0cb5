public import Foundation

/// A stand-in for StoreKit's request. Tests complete it.
open class SKRequest: NSObject {
    open weak var delegate: (any SKRequestDelegate)?
    open func start() { StoreScript.shared.started(self) }
    open func cancel() { StoreScript.shared.canceled(self) }
}

/// In StoreKit, these are optional Objective-C methods.
public protocol SKRequestDelegate: NSObjectProtocol {
    func requestDidFinish(_ request: SKRequest)
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    public func requestDidFinish(_ request: SKRequest) {}
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}

open class SKReceiptRefreshRequest: SKRequest {
    public let receiptProperties: [String: Any]?

    public init(receiptProperties properties: [String: Any]?) { receiptProperties = properties }

    deinit { StoreScript.shared.deallocated() }
}

/// Answers requests and counts them.
public final class StoreScript: @unchecked Sendable {
    public static let shared = StoreScript()

    /// The answer to a request after its start.
    public enum Answer: Sendable {
        case success
        case failure(domain: String, code: Int)
        /// The prompt stays open until ``answerOpen(_:)``.
        case none
    }

    private let lock = NSLock()
    private var answer = Answer.none
    private var open: [SKRequest] = []
    private var counts = Counts()

    public struct Counts: Sendable, Equatable {
        public var started = 0
        public var canceled = 0
        /// The requests that were deallocated.
        public var deallocated = 0

        public init(started: Int = 0, canceled: Int = 0, deallocated: Int = 0) {
            self.started = started
            self.canceled = canceled
            self.deallocated = deallocated
        }
    }

    /// Resets the counts, and sets the answer to later requests.
    public func prepare(_ answer: Answer) {
        lock.withLock {
            self.answer = answer
            open = []
            counts = Counts()
        }
    }

    public var seen: Counts { lock.withLock { counts } }

    /// Answers the open requests.
    public func answerOpen(_ answer: Answer) {
        let open = lock.withLock {
            defer { self.open = [] }
            return self.open
        }
        for request in open { deliver(answer, to: request) }
    }

    func started(_ request: SKRequest) {
        let answer = lock.withLock {
            counts.started += 1
            if case .none = self.answer { open.append(request) }
            return self.answer
        }
        deliver(answer, to: request)
    }

    func canceled(_ request: SKRequest) {
        lock.withLock {
            counts.canceled += 1
            open.removeAll { $0 === request }
        }
    }

    func deallocated() { lock.withLock { counts.deallocated += 1 } }

    /// Calls the delegate on another thread, as StoreKit does. The delegate must still exist.
    private func deliver(_ answer: Answer, to request: SKRequest) {
        let box = Box(request)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) {
            switch answer {
            case .success: box.request.delegate?.requestDidFinish(box.request)
            case .failure(let domain, let code):
                box.request.delegate?.request(
                    box.request, didFailWithError: NSError(domain: domain, code: code, userInfo: nil))
            case .none: break
            }
        }
    }

    private struct Box: @unchecked Sendable {
        let request: SKRequest
        init(_ request: SKRequest) { self.request = request }
    }
}
