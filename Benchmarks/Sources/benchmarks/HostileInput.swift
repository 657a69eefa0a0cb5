import AppReceiptTesting
import Foundation

/// Kinds of input that are designed to be expensive.
enum HostileInput: String, CaseIterable {
    case garbage
    case base64OfGarbage = "base64-of-garbage"
    case base64WithLineBreaks = "base64-with-line-breaks"
    case pem
    case json
    case nested
    case nestedIndefinite = "nested-indefinite"
    case emptyElements = "empty-elements"
    case pieces
    case unknownAttributes = "unknown-attributes"
    case emptyPurchases = "empty-purchases"
    case purchases
    case longText = "long-text"
    case largeCertificates = "large-certificates"
    case manyExtensions = "many-extensions"
    case indefinite

    var explanation: String {
        switch self {
        case .garbage: "a sequence of random octets"
        case .base64OfGarbage: "base64 of the same"
        case .base64WithLineBreaks: "base64 with a line break after every fourth character"
        case .pem: "PEM around it"
        case .json: "a JSON document"
        case .nested: "a skipped field of elements nested with definite lengths"
        case .nestedIndefinite: "the same with indefinite lengths"
        case .emptyElements: "a skipped field of empty elements"
        case .pieces: "content in empty pieces"
        case .unknownAttributes: "signed: unknown attributes"
        case .emptyPurchases: "signed: purchases without attributes"
        case .purchases: "signed: purchases as the store writes them"
        case .longText: "signed: one text as an app version"
        case .manyExtensions: "three well-formed certificates of the largest size beside the chain"
        case .indefinite: "signed: indefinite lengths at every level, content in pieces of four octets"
        case .largeCertificates: "six certificates of the largest size, again and again beside a payload"
        }
    }

    /// Creates an input of about `size` bytes.
    func bytes(_ size: Int) throws -> [UInt8] {
        switch self {
        case .garbage: return element(0x30, Self.random(size - 6))
        case .base64OfGarbage: return text(element(0x30, Self.random(size * 3 / 4 - 6)), line: .max)
        case .base64WithLineBreaks: return text(element(0x30, Self.random(size * 3 / 5 - 6)), line: 4)
        case .pem:
            let body = text(element(0x30, Self.random(size * 48 / 65 - 60)), line: 64)
            return Array("-----BEGIN PKCS7-----\n".utf8) + body + Array("\n-----END PKCS7-----\n".utf8)
        case .json:
            return Array(#"{"receipt-data": ""#.utf8) + [UInt8](repeating: 0x41, count: size) + Array("\"}".utf8)
        case .nested: return try skipped(nested(size))
        case .nestedIndefinite:
            return try skipped(
                [UInt8](repeatingPattern: [0x30, 0x80], size / 2) + [UInt8](repeating: 0, count: size / 2))
        case .emptyElements: return try skipped(element(0x30, [UInt8](repeatingPattern: [0x05, 0x00], size)))
        case .pieces:
            return try container { container in
                let pieces = [UInt8](repeatingPattern: [0x04, 0x00], size)
                container.contentElement = element(0x24, pieces + element(0x04, container.content))
            }
        case .unknownAttributes:
            let attribute = element(0x30, [0x02, 0x03, 0x01, 0x00, 0x01, 0x02, 0x01, 0x01, 0x04, 0x00])
            return try signed([UInt8](repeatingPattern: attribute, size))
        case .emptyPurchases:
            let purchase = element(0x30, [0x02, 0x01, 0x11, 0x02, 0x01, 0x01, 0x04, 0x02, 0x31, 0x00])
            return try signed([UInt8](repeatingPattern: purchase, size))
        case .purchases:
            let start = TestReceipt().creationDate
            let count = max(1, size / 410)
            return try TestReceipt().with { receipt in
                receipt.purchases = (0..<count).map { number in
                    TestPurchase(
                        subscription: "com.example.month", transaction: "\(1_000_000_000 + number)",
                        original: "1000000000",
                        from: start, to: start + 86_400)
                }
            }.signed()
        case .longText:
            return try TestReceipt().with { $0.appVersion = String(repeating: "1", count: size) }.signed()
        case .largeCertificates:
            return try container { container in
                let certificate = element(0x30, element(0x04, [UInt8](repeating: 0, count: 4000)))
                container.certificates += [[UInt8]](repeating: certificate, count: max(3, size / 4000))
            }
        case .manyExtensions:
            let certificates = try (0..<3).map { number in
                try TestPKI.xcode.with { certificate in
                    certificate.serialNumber = UInt64(number + 1)
                    certificate.extensions = (0..<240).map { TestCertificate.Extension("1.2.3.\($0)") }
                }.der()
            }
            return try container { container in
                container.certificates += certificates
                container.content = TestReceipt().with { $0.appVersion = String(repeating: "1", count: size) }.payload
            }
        case .indefinite:
            return try container { container in
                let attribute = element(0x30, [0x02, 0x03, 0x01, 0x00, 0x01, 0x02, 0x01, 0x01, 0x04, 0x00])
                let good = Array(TestReceipt().payload.dropFirst(4))
                container.content = element(0x31, good + [UInt8](repeatingPattern: attribute, size / 2))
                container.encoding = .ber(pieces: container.content.count / 4)
            }
        }
    }

    private func container(_ change: (inout TestContainer) -> Void) throws -> [UInt8] {
        var container = try TestContainer(content: TestReceipt().payload, signedBy: .standard)
        change(&container)
        return try container.encoded()
    }

    private func skipped(_ field: [UInt8]) throws -> [UInt8] { try container { $0.revocationLists = [field] } }

    /// A signed receipt with these attributes after the usual ones.
    private func signed(_ attributes: [UInt8]) throws -> [UInt8] {
        let good = Array(TestReceipt().payload.dropFirst(4))
        return try TestContainer(content: element(0x31, good + attributes), signedBy: .standard).encoded()
    }

    private func nested(_ size: Int) -> [UInt8] {
        // From the outside in: each header contains the length of the rest.
        var headers: [UInt8] = []
        var left = size
        while left > 6 {
            left -= 6
            headers += [0x30, 0x84] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: left >> (8 * $0)) }
        }
        return headers + [0x04, UInt8(left - 2 < 0 ? 0 : left - 2)] + [UInt8](repeating: 0, count: max(0, left - 2))
    }

    private func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count
        return [tag, 0x84] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + content
    }

    private func text(_ bytes: [UInt8], line: Int) -> [UInt8] {
        let digits = Array(Data(bytes).base64EncodedString().utf8)
        guard line < digits.count else { return digits }
        var lines: [UInt8] = []
        lines.reserveCapacity(digits.count * (line + 1) / line)
        for start in stride(from: 0, to: digits.count, by: line) {
            lines += digits[start..<min(start + line, digits.count)]
            lines.append(0x0A)
        }
        return lines
    }

    private static func random(_ count: Int) -> [UInt8] {
        var state: UInt64 = 1
        return (0..<max(8, count)).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }
}

extension [UInt8] {
    /// `pattern` repeated to about `count` bytes.
    init(repeatingPattern pattern: [UInt8], _ count: Int) {
        self = []
        reserveCapacity(count + pattern.count)
        for _ in 0..<(count / pattern.count) { self += pattern }
    }
}
