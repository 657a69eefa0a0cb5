import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation

/// The fuzz targets. A target must not trap or hang, and its preconditions must be met for every input.
enum FuzzTarget: String, CaseIterable {
    /// Recognizing the input.
    case input
    /// Parsing the container.
    case container
    /// Parsing the payload and its purchases.
    case payload
    /// The whole verifier: the bytes as they are, and as a payload with a valid signature.
    case verifier
    /// Parsing and formatting dates.
    case dates
    /// Parsing device identifiers.
    case devices
    /// Parsing and writing JSON.
    case json
    /// Signed data: the bytes as a JWS, and as the payload of a JWS with a valid signature.
    case token
    /// Requests to verifyReceipt, and transaction receipts.
    case request

    func run(_ bytes: [UInt8]) {
        switch self {
        case .input: runInput(bytes)
        case .container: runContainer(bytes)
        case .payload: runPayload(bytes)
        case .verifier: Verification.run(bytes)
        case .dates: runDate(bytes)
        case .devices: runDevice(bytes)
        case .json: runJSON(bytes)
        case .token: SignedDataVerification.run(bytes)
        case .request: RequestResponses.run(bytes)
        }
    }

    private func runInput(_ bytes: [UInt8]) {
        guard let input = try? ReceiptInput(bytes) else { return }
        // The result starts like a container and is recognized too.
        precondition(input.containerBytes.first == 0x30)
        precondition((try? ReceiptInput(input.containerBytes))?.containerBytes == input.containerBytes)
    }

    private func runContainer(_ bytes: [UInt8]) {
        guard let container = try? ReceiptContainer(parsing: bytes) else { return }
        precondition((1...6).contains(container.certificates.count))
        if let offset = container.contentOffset {
            precondition(bytes[offset..<offset + container.content.count].elementsEqual(container.content))
        }
    }

    private func runPayload(_ bytes: [UInt8]) {
        // The bytes as the content of a container.
        guard let container = try? ReceiptContainer(parsing: Wrapper.container(of: bytes)),
            let receipt = try? AppReceipt(container: container)
        else { return }
        precondition(receipt.attributes.filter { $0.type == 17 }.count == receipt.purchases.count)
        let date = receipt.creationDate ?? Date(timeIntervalSince1970: 1_700_000_000)
        _ = receipt.originalAppPurchase.precedes(build: "1", version: "2")
        _ = receipt.volumePurchase(at: date)
    }

    private func runDate(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let date = ReceiptDate.date(from: text) else { return }
        let written = ReceiptDate.string(from: date)
        guard let again = ReceiptDate.date(from: written) else { preconditionFailure(written) }
        // Written with milliseconds, and clamped to the years 0 to 9999, which offsets can exceed.
        precondition(
            abs(again.timeIntervalSince(date)) < 0.001
                || abs(again.timeIntervalSince(date)) <= 86_400 && written.hasPrefix("0000-01-01")
                || written.hasPrefix("9999-12-31"))
    }

    private func runJSON(_ bytes: [UInt8]) {
        guard let value = try? AppStoreJSON(parsing: bytes[...]) else { return }
        // The written text is an equal value, and is written unchanged.
        let text = value.text()
        guard let again = try? AppStoreJSON(parsing: text[...]) else { preconditionFailure() }
        precondition(again == value && again.hashValue == value.hashValue && again.text() == text)
        precondition((try? AppStoreJSON(parsing: value.text(isPretty: true)[...])) == value)
    }

    private func runDevice(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let device = try? DeviceIdentifier(text: text) else { return }
        precondition(device.bytes.count == 6 || device.bytes.count == 16)
        precondition(device.receiptHash(opaqueValue: bytes, bundleIdentifierBytes: bytes).count == 20)
        // The description doesn't identify the device.
        precondition("\(device)" == "DeviceIdentifier(\(device.bytes.count) bytes)")
    }
}

/// Creates well-formed containers with any content and an invalid signature.
private enum Wrapper {
    private static let parts: (before: [UInt8], after: [UInt8]) = {
        let mark = [UInt8](repeating: 0xA5, count: 32)
        var container = try? TestContainer(content: mark, signedBy: .standard)
        container?.encoding = .ber(pieces: 1)
        let bytes = (try? container?.encoded()) ?? []
        guard let range = bytes.firstRange(of: mark) else { preconditionFailure() }
        return (Array(bytes[..<(range.lowerBound - 2)]), Array(bytes[range.upperBound...]))
    }()

    static func container(of content: [UInt8]) -> [UInt8] {
        let length = content.count
        let header: [UInt8] = [
            0x04, 0x84, UInt8(length >> 24 & 0xFF), UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF),
            UInt8(length & 0xFF),
        ]
        return parts.before + header + content + parts.after
    }
}

/// Verifies receipts under the test root.
private enum Verification {
    private static let anchors: TrustAnchors = {
        guard let anchors = try? TestPKI.standard.anchors else { preconditionFailure() }
        return anchors
    }()
    /// A verifier whose chain cache is shared by all inputs.
    private static let verifier = ReceiptVerifier(anchors: anchors)
    private static let expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
    private static let now = Date(timeIntervalSince1970: 1_735_689_600)
    private static let template: TestContainer = {
        guard let container = try? TestContainer(content: [], signedBy: .standard) else { preconditionFailure() }
        return container
    }()

    static func run(_ bytes: [UInt8]) {
        validate(bytes, isSigned: false)
        // The bytes as content. Signing is the slowest step, so only content that can be parsed is signed.
        let unsigned = Wrapper.container(of: bytes)
        guard (try? AppReceipt(parsing: unsigned)) != nil else { return validate(unsigned, isSigned: false) }
        var container = template
        container.content = bytes
        guard let signed = try? container.encoded() else { preconditionFailure() }
        validate(signed, isSigned: true)
    }

    /// Checks that the result and the report agree, that a new verifier has the same result as one with cached chains,
    /// and that only signed receipts are verified.
    ///
    /// Inputs that are signed here always have the same chain, so they skip the second check.
    private static func validate(_ bytes: [UInt8], isSigned: Bool) {
        let report = verifier.report(bytes, expecting: expectations, now: now)
        do throws(ReceiptError) {
            let verified = try verifier.verify(bytes, expecting: expectations, now: now)
            precondition(report.isValid)
            precondition(isSigned || genuine.contains(verified.receipt))
            checkEntitlements(of: verified)
        } catch {
            precondition(report.failure == error && !report.isValid)
        }
        if !isSigned {
            let fresh = ReceiptVerifier(anchors: anchors).report(bytes, expecting: expectations, now: now)
            precondition(fresh.failure == report.failure && fresh.checks == report.checks)
        }
        for check in report.checks { precondition(!check.message.isEmpty) }
    }

    /// Checks that each product has one entitlement, and that a refunded purchase isn't active afterward.
    private static func checkEntitlements(of receipt: VerifiedReceipt) {
        for date in [receipt.creationDate, now, .distantPast, .distantFuture] {
            let entitlements = receipt.entitlements(at: date)
            let products = entitlements.all.filter { $0.kind != .consumable && $0.kind != .nonRenewing }
            precondition(Set(products.map(\.productIdentifier)).count == products.count)
            precondition(entitlements.transactions.count <= receipt.receipt.purchases.count)
            for entitlement in entitlements.all {
                precondition(!entitlement.reason.isEmpty)
                precondition(entitlement.state != .refunded || entitlement.until.map { $0 <= date } == true)
            }
            _ = entitlements.introductoryOfferEligibility(inGroupOf: Set(products.map(\.productIdentifier)))
        }
    }

    /// The receipts of the valid seeds. A mutation can only be valid if it changes bytes that don't affect the receipt.
    private static let genuine: Set<AppReceipt> = Set(
        ((try? FuzzTarget.verifier.seeds()) ?? []).compactMap { seed in
            try? ReceiptVerifier(anchors: anchors).verify(seed, expecting: expectations, now: now).receipt
        })
}
