public import Foundation

/// StoreKit's request, which a test completes.
open class SKRequest: NSObject {
    open weak var delegate: (any SKRequestDelegate)?
    open func start() { StoreScript.shared.started(self) }
    open func cancel() { StoreScript.shared.canceled(self) }
}

/// In StoreKit these are optional methods of Objective-C.
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

    deinit { StoreScript.shared.gone() }
}

/// What the store does with requests, and what it has seen of them.
public final class StoreScript: @unchecked Sendable {
    public static let shared = StoreScript()

    /// What comes of a request once it was started.
    public enum Answer: Sendable {
        case success
        case failure(domain: String, code: Int)
        /// The customer thinks; ``answer(_:)`` ends it.
        case none
    }

    private let lock = NSLock()
    private var answer = Answer.none
    private var open: [SKRequest] = []
    private var counts = Counts()

    public struct Counts: Sendable, Equatable {
        public var started = 0
        public var canceled = 0
        /// Requests that have been let go of.
        public var gone = 0

        public init(started: Int = 0, canceled: Int = 0, gone: Int = 0) {
            self.started = started
            self.canceled = canceled
            self.gone = gone
        }
    }

    /// Forgets what was seen; requests from now on get this answer.
    public func prepare(_ answer: Answer) {
        lock.withLock {
            self.answer = answer
            open = []
            counts = Counts()
        }
    }

    public var seen: Counts { lock.withLock { counts } }

    /// Answers the requests that are open.
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

    func gone() { lock.withLock { counts.gone += 1 } }

    /// The store calls back on a thread of its own, and needs the delegate to be alive then.
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
