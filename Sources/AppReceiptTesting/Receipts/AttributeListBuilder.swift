import AppReceiptFoundation
import AppReceiptParsing

/// Collects attributes. Overrides take precedence.
struct AttributeListBuilder {
    private var attributes: [ReceiptAttribute] = []
    private var overrides: [Int: [[UInt8]]]

    init(overrides: [Int: [[UInt8]]]) { self.overrides = overrides }

    mutating func add(_ type: AttributeType, value: [UInt8], version: Int = 1) {
        guard overrides[type.rawValue] == nil else { return }
        attributes.append(ReceiptAttribute(type: type.rawValue, version: version, value: value[...]))
    }

    /// Absent dates are written as empty strings.
    mutating func add(_ type: AttributeType, date: Date?) {
        add(type, value: DERWriter.ia5String(date.map(ReceiptDate.string(from:)) ?? ""))
    }

    func finish() -> [ReceiptAttribute] {
        attributes
            + overrides.sorted { $0.key < $1.key }.flatMap { type, values in
                values.map { ReceiptAttribute(type: type, value: $0[...]) }
            }
    }
}

extension ReceiptAttribute {
    /// The attribute as DER.
    package var der: [UInt8] {
        DERWriter.sequence([
            DERWriter.integer(UInt64(clamping: type)), DERWriter.integer(UInt64(clamping: version)),
            DERWriter.octetString(value),
        ])
    }
}
