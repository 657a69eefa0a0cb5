import AppReceiptParsing
import AppReceiptSupport
import AppReceiptTesting
import SwiftASN1
import TestSupport
import Testing

/// Compares `BERReader` with swift-asn1 on generated and mutated input.
///
/// Both must read the same structure, or both must reject the input, except for the differences listed here.
@Suite("BERReader compared with swift-asn1")
struct BERReaderOracleTests {
    /// The intended differences. Any other difference is a bug in one of the two.
    enum Difference: CaseIterable {
        /// `BERReader` rejects tag numbers above 30, which have several octets and don't occur in receipts and
        /// certificates.
        case longTag
        /// swift-asn1 recurses and rejects more than fifty levels. `BERReader` doesn't recurse, and its callers limit
        /// the depth.
        case depth

        /// The difference that explains why only one of the two rejects the input.
        static func between(_ ours: Node?, _ theirs: Node?) -> Difference? {
            switch (ours, theirs) {
            case (nil, let theirs?) where theirs.hasLongTag: .longTag
            case (let ours?, nil) where ours.depth >= 50: .depth
            default: nil
            }
        }
    }

    /// The number of inputs that both read equally, that both reject, and that show each difference.
    private struct Tally {
        var same = 0
        var rejected = 0
        var named: [Difference: Int] = [:]

        mutating func compare(_ bytes: [UInt8]) {
            let ours = Node(reading: bytes)
            let theirs = Node(oracle: bytes)
            if ours == theirs {
                if ours == nil { rejected += 1 } else { same += 1 }
            } else if let difference = Difference.between(ours, theirs) {
                named[difference, default: 0] += 1
            } else {
                let text = bytes.prefix(200).map { String($0, radix: 16) }.joined(separator: " ")
                Issue.record(
                    "\(ours == nil ? "BERReader rejects" : theirs == nil ? "swift-asn1 rejects" : "the structures differ"): \(text)"
                )
            }
        }
    }

    @Test("Generated and mutated elements have the same structure in both", arguments: UInt64(0)..<8)
    func generated(_ seed: UInt64) {
        var generator = Generator(seed: seed)
        var tally = Tally()
        for _ in 0..<4000 {
            var bytes = generator.element(depth: 6)
            for _ in 0..<Int.random(in: 0...2, using: &generator) { generator.mutate(&bytes) }
            tally.compare(bytes)
        }
        #expect(tally.same > 1000)
        #expect(tally.rejected > 1000)
    }

    @Test("Mutated receipts have the same structure in both", arguments: UInt64(0)..<4)
    func receipts(_ seed: UInt64) throws {
        var generator = Generator(seed: seed)
        let receipt = TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: $0.creationDate)]
        }
        let subjects = [try receipt.signed(), try receipt.signedLikeXcode()]
        var tally = Tally()
        for index in 0..<1000 {
            var bytes = subjects[index % 2]
            for _ in 0..<Int.random(in: 1...3, using: &generator) { generator.mutate(&bytes) }
            tally.compare(bytes)
        }
        for subject in subjects { tally.compare(subject) }
        #expect(tally.same > 100)
        #expect(tally.rejected > 100)
    }

    @Test("Valid DER is read with the same structure", arguments: UInt64(0)..<4)
    func distinguished(_ seed: UInt64) {
        var generator = Generator(seed: seed)
        var read = 0
        for _ in 0..<4000 {
            var bytes = generator.element(depth: 5)
            if Bool.random(using: &generator) { generator.mutate(&bytes) }
            guard let node = try? DER.parse(bytes) else { continue }
            let theirs = Node(node)
            read += 1
            if !theirs.hasLongTag { #expect(Node(reading: bytes) == theirs) }
        }
        #expect(read > 400)
    }

    @Test("Each listed difference occurs", arguments: Difference.allCases)
    func differences(_ difference: Difference) {
        let bytes: [UInt8] =
            switch difference {
            case .longTag: [0x1F, 0x81, 0x01, 0x00]
            case .depth: (0..<60).reduce(DERWriter.null) { inner, _ in DERWriter.element(0x30, inner) }
            }
        #expect(Difference.between(Node(reading: bytes), Node(oracle: bytes)) == difference)
        #expect(Difference.allCases.count <= 10)
    }
}

/// The structure of an element, independent of the form of its lengths.
indirect enum Node: Equatable {
    case primitive(tag: UInt, [UInt8])
    case constructed(tag: UInt, [Node])

    /// The class and number combined: the identifier octet if the number is below 31.
    private var tag: UInt {
        switch self {
        case .primitive(let tag, _), .constructed(let tag, _): tag
        }
    }

    /// Whether any tag number is above 30.
    var hasLongTag: Bool {
        if tag >= 0x100 { return true }
        guard case .constructed(_, let children) = self else { return false }
        return children.contains(where: \.hasLongTag)
    }

    /// The number of levels.
    var depth: Int {
        guard case .constructed(_, let children) = self else { return 1 }
        return 1 + (children.map(\.depth).max() ?? 0)
    }

    /// Reads the structure with `BERReader`, or returns nil if it rejects the bytes.
    init?(reading bytes: [UInt8]) {
        let slice = bytes[...]
        guard let element = try? element(of: bytes), let node = Node(element, of: slice) else { return nil }
        self = node
    }

    private init?(_ element: BERElement, of bytes: ArraySlice<UInt8>) {
        guard element.isConstructed else {
            self = .primitive(tag: UInt(element.tag), Array(bytes.part(element.content)))
            return
        }
        var reader = BERReader(element.content, check: .container, limits: .default)
        var children: [Node] = []
        while !reader.isAtEnd {
            guard let next = try? reader.next(in: bytes.span), let child = Node(next, of: bytes) else { return nil }
            children.append(child)
        }
        self = .constructed(tag: UInt(element.tag), children)
    }

    /// Reads the structure with swift-asn1, or returns nil if it rejects the bytes.
    init?(oracle bytes: [UInt8]) {
        guard let node = try? BER.parse(bytes) else { return nil }
        self.init(node)
    }

    init(_ node: ASN1Node) {
        let number = node.identifier.tagNumber
        let tag = UInt(node.identifier.tagClass.bits) | (number < 31 ? number : number << 8)
        switch node.content {
        case .primitive(let octets): self = .primitive(tag: tag, Array(octets))
        case .constructed(let nodes):
            self = .constructed(tag: tag | UInt(BERTag.constructed), nodes.map { Node($0) })
        }
    }
}

extension ASN1Identifier.TagClass {
    fileprivate var bits: UInt8 {
        switch self {
        case .universal: 0x00
        case .application: 0x40
        case .contextSpecific: 0x80
        case .private: 0xC0
        }
    }
}

/// Generates elements and mutations reproducibly from a seed.
struct Generator: RandomNumberGenerator {
    private var numbers: SeededGenerator

    init(seed: UInt64) { numbers = SeededGenerator(seed: (seed &+ 1) &* 0xD134_2543_DE82_EF95) }

    mutating func next() -> UInt64 { numbers.next() }

    /// Generates a valid element in any of the forms of BER.
    mutating func element(depth: Int) -> [UInt8] {
        let isConstructed = depth > 0 && Int.random(in: 0..<3, using: &self) > 0
        guard isConstructed else {
            let tag: UInt8 =
                [0x02, 0x04, 0x05, 0x06, 0x0C, 0x13, 0x16, 0x80, 0x81, 0x41, 0xC2].randomElement(using: &self) ?? 0x04
            let count = [0, 1, 2, 5, 20, 127, 128, 300].randomElement(using: &self) ?? 0
            let octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
            return header(tag, octets.count) + octets
        }
        let tag: UInt8 = [0x30, 0x31, 0x24, 0xA0, 0xA1, 0x61].randomElement(using: &self) ?? 0x30
        var content: [UInt8] = []
        for _ in 0..<Int.random(in: 0...3, using: &self) { content += element(depth: depth - 1) }
        return Bool.random(using: &self) ? header(tag, content.count) + content : [tag, 0x80] + content + [0, 0]
    }

    /// Encodes an identifier and a length in the shortest form or a longer one.
    private mutating func header(_ tag: UInt8, _ length: Int) -> [UInt8] {
        if length < 128, Bool.random(using: &self) { return [tag, UInt8(length)] }
        let count = Int.random(in: (length < 256 ? 1 : 2)...5, using: &self)
        return [tag, 0x80 | UInt8(count)] + (0..<count).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    }

    /// Changes, removes, duplicates or inserts one or two bytes, or truncates.
    mutating func mutate(_ bytes: inout [UInt8]) {
        guard let position = bytes.indices.randomElement(using: &self) else { return }
        let odd: [UInt8] = [0x00, 0x01, 0x1F, 0x20, 0x30, 0x3F, 0x7F, 0x80, 0x81, 0x84, 0x88, 0x89, 0xFE, 0xFF]
        switch Int.random(in: 0..<6, using: &self) {
        case 0: bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &self)
        case 1: bytes[position] = odd.randomElement(using: &self) ?? 0
        case 2: bytes.remove(at: position)
        case 3: bytes.insert(odd.randomElement(using: &self) ?? 0, at: position)
        case 4: bytes.removeSubrange(position...)
        default: bytes += bytes[position...].prefix(4)
        }
    }
}
