import AppReceiptKit
import AppReceiptSupport
import Foundation
import Testing

@Suite("DeviceIdentifier")
struct DeviceIdentifierTests {
    private static let uuidBytes: [UInt8] = [
        0x95, 0x63, 0x28, 0xD9, 0xCC, 0x6A, 0x47, 0xF4, 0xBE, 0x40, 0x69, 0x53, 0xFB, 0x0A, 0xB6, 0xC7,
    ]
    private static let addressBytes: [UInt8] = [0xF8, 0xFF, 0xC2, 0x1E, 0x91, 0x82]

    @Test(
        "UUIDs, MAC addresses, hex digits and base64 are recognized by form and length",
        arguments: [
            ("956328D9-CC6A-47F4-BE40-6953FB0AB6C7", uuidBytes), ("956328d9-cc6a-47f4-be40-6953fb0ab6c7", uuidBytes),
            ("956328D9CC6A47F4BE406953FB0AB6C7", uuidBytes), ("956328d9cc6a47f4be406953fb0ab6c7", uuidBytes),
            ("lWMo2cxqR/S+QGlT+wq2xw==", uuidBytes), ("f8:ff:c2:1e:91:82", addressBytes),
            ("F8-FF-C2-1E-91-82", addressBytes), ("f8ffc21e9182", addressBytes), ("F8FFC21E9182", addressBytes),
            ("+P/CHpGC", addressBytes),
        ])
    func readsForms(_ text: String, _ bytes: [UInt8]) throws {
        #expect(try DeviceIdentifier(text: text).bytes == bytes)
    }

    @Test(
        "Other text is rejected",
        arguments: [
            "", " ", "f8:ff:c2:1e:91", "f8:ff:c2:1e:91:82:00", "f8:ff:c2:1e:91-82", "f8-ff:c2:1e:91:82",
            "f8.ff.c2.1e.91.82", "8:ff:c2:1e:91:82", "g8:ff:c2:1e:91:82", "f8:ff:c2:1e:91:82 ", " f8ffc21e9182",
            "0xf8ffc21e91", "f8ffc21e918", "f8ffc21e91822", "g8ffc21e9182", "956328D9CC6A47F4BE406953FB0AB6C",
            "956328D9CC6A47F4BE406953FB0AB6C77", "956328D9_CC6A_47F4_BE40_6953FB0AB6C7",
            "956328D-9CC6A-47F4-BE40-6953FB0AB6C7", "{956328D9-CC6A-47F4-BE40-6953FB0AB6C7}",
            "956328D9-CC6A-47F4-BE40-6953FB0AB6CG", "lWMo2cxqR_S-QGlT-wq2xw==", "lWMo2cxqR/S+QGlT+wq2xw",
            "lWMo2cxqR/S+QGlT+wq2xx==", "lWMo2cxqR/S+QGlT+wq2x===", "+P/CHpG=", "+P/C HpGC", "+P/CHp\nC",
            "f8:ff:c2:1e:91:8é", "ｆ8ffc21e918", "f8ffc21e918٣", "lWMo2cxqR/S+QGlT+wq2x9AA",
        ])
    func rejectsOthers(_ text: String) {
        let error = captured { () throws(ReceiptError) in try DeviceIdentifier(text: text) }
        #expect(error?.code == .deviceIdentifierMalformed)
        #expect(error?.check == .deviceHash)
    }

    @Test("Only 6 or 16 bytes are an identifier", arguments: 0...20)
    func countsBytes(_ count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(DeviceIdentifier(bytes: bytes)?.bytes == (count == 6 || count == 16 ? bytes : nil))
    }

    @Test("The bytes of a UUID are kept in order")
    func readsUUID() throws {
        let uuid = try #require(UUID(uuidString: "956328D9-CC6A-47F4-BE40-6953FB0AB6C7"))
        #expect(DeviceIdentifier(uuid).bytes == Self.uuidBytes)
        #expect(try DeviceIdentifier(uuid) == DeviceIdentifier(text: "956328d9cc6a47f4be406953fb0ab6c7"))
    }

    // The vectors were computed independently of this library.
    @Test(
        "The hash is SHA-1 over the identifier, the opaque value and the whole attribute 2",
        arguments: [
            ("000102030405060708090a0b0c0d0e0f", "cd6b75d4191b30d30b6b82160cc43271962ae9ce"),
            ("02:00:00:00:00:01", "3973c75278652309173529648cfc0946275d08cd"),
        ])
    func hashVectors(_ text: String, _ expected: String) throws {
        let bundleIdentifier: [UInt8] = [0x0C, 0x0F] + Array("com.example.app".utf8)
        let device = try DeviceIdentifier(text: text)
        let hash = device.receiptHash(opaqueValue: Array(0x10...0x1F), bundleIdentifierBytes: bundleIdentifier)
        #expect(hash.hexadecimal() == expected)
        // Results without tag and length, or in another order, must differ.
        let bare = device.receiptHash(
            opaqueValue: Array(0x10...0x1F), bundleIdentifierBytes: Array("com.example.app".utf8))
        #expect(bare.hexadecimal() != expected)
        #expect(device.receiptHash(opaqueValue: bundleIdentifier, bundleIdentifierBytes: Array(0x10...0x1F)) != hash)
    }

    @Test("The error for a malformed identifier doesn't contain it")
    func errorsContainNoIdentifier() {
        let error = captured { () throws(ReceiptError) in try DeviceIdentifier(text: "f8:ff:c2:1e:91:8") }
        #expect(error?.description.contains("f8") == false)
        #expect(error?.remedy.contains("f8") == false)
    }

    @Test("An identifier can't be encoded, and its descriptions contain only its length")
    func isNotCodable() throws {
        #expect(!((DeviceIdentifier.self as Any.Type) is any Encodable.Type))
        #expect(!((DeviceIdentifier.self as Any.Type) is any Decodable.Type))
        let device = try DeviceIdentifier(text: "f8:ff:c2:1e:91:82")
        var dumped = ""
        dump(device, to: &dumped)
        for text in ["\(device)", String(reflecting: device), "\([device])", dumped] {
            #expect(text.contains("DeviceIdentifier(6 bytes)"))
            #expect(!text.contains("248"))
            #expect(!text.lowercased().contains("f8"))
        }
    }
}
