#if Server
import Foundation
import Testing

@testable import AppReceiptServer

@Suite("AppStoreIdentifier")
struct AppStoreIdentifierTests {
    @Test("An order number is like those in Apple's mails, in any case; other short text is none")
    func orders() {
        for text in ["MK4TTTVWJH", "mk4tttvwjh", "Mk4tttvwjh", "MQ4B3L1KD9", "MTESTORDER", "MVXQ2L7K9PAA", "W002182"] {
            #expect(AppStoreIdentifier(text) == .order(text.uppercased()), "\(text)")
        }
        for text in [
            "", "anna", "Margarete", "user123", "Mississippi", "MK4", "M-1K4TTTVWJ", "4K4TTTVWJH", "anna@example.com",
            "550e8400-e29b-41d4-a716-446655440000", "MK4TTTVWJHMK4TTTVWJH", "MK4TTTVWJÜ", "a b",
            "MA4GA1UdDwEB", "mK4tttvwjh",
        ] { #expect(AppStoreIdentifier(text) == nil, "\(text)") }
    }

    @Test("A number of at most 20 digits may be a transaction")
    func transactions() {
        #expect(AppStoreIdentifier("7") == .transaction("7"))
        #expect(AppStoreIdentifier("2000000123456789") == .transaction("2000000123456789"))
        #expect(AppStoreIdentifier("123456789012345678901") == nil)
        // Nor is a date or a telephone number asked about.
        #expect(AppStoreIdentifier("20261128091244")?.isUnmistakable == false)
        #expect(AppStoreIdentifier("00447911123456")?.isUnmistakable == false)
        #expect(AppStoreIdentifier("20260000123456")?.isUnmistakable == true)
        #expect(AppStoreIdentifier("٣٥٠٠٠٠٢٤٥٢٥٠٥٢٥") == nil)
    }

    @Test("Identifiers are found among other words, and what may be something else isn't asked about")
    func mail() {
        let mail = """
            Hi, my order (MVXQ2L7K9P) from 20240501 isn't there, transaction 350000245250525; order: mvxq2l7k9p.
            IPHONE15 with +49 170 1234567, ID 550e8400-e29b-41d4-a716-446655440000. GRÜSSE1234567
            """
        let found = AppStoreIdentifier.all(in: Array(mail.utf8), maxCount: 20)
        #expect(
            found.filter(\.isUnmistakable) == [.order("MVXQ2L7K9P"), .transaction("350000245250525")])
        #expect(found.contains(.transaction("1234567")))
        #expect(!found.contains { $0.text.contains("GR") })
        #expect(AppStoreIdentifier.all(in: Array(mail.utf8), maxCount: 1).count == 1)
    }

    @Test("A number that is labeled as something else isn't a transaction")
    func labeled() {
        for text in [
            "Ticket 4400123456789012", "case no. 4400123456789012", "Ticket #4400123456789012",
            #""webOrderLineItemId": "4400123456789012""#, "web_order_line_item_id: 4400123456789012",
            "phone number is 4400123456789012", "Line items 4400123456789012", "Ticketnummer: 4400123456789012",
            "Fall-Nr. 4400123456789012", "Fallnummer 4400123456789012", "Customer number is 4400123456789012",
            "Case No.: 4400123456789012", "Tracking 4400123456789012", "Account number 4400123456789012",
        ] { #expect(AppStoreIdentifier.all(in: Array(text.utf8), maxCount: 20).isEmpty, "\(text)") }
        for text in [
            "Transaction ID: 4400123456789012", "ticket 12: transaction 4400123456789012",
            "the number 4400123456789012",
            "Transaction number: 4400123456789012", "Number 4400123456789012", "Bestellnummer 4400123456789012",
            #""originalTransactionId": "4400123456789012""#, "ticket for order MQ4B3L1KD9",
        ] { #expect(AppStoreIdentifier.all(in: Array(text.utf8), maxCount: 20).count == 1, "\(text)") }
    }

    @Test("Base64 of a receipt, also a damaged one, contains no identifiers")
    func documents() {
        // The first word is in every receipt, because Apple's certificates contain it.
        for line in [
            "Af8wHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySrMA4GA1UdDwEB/wQEAwIBBjAQBgoqhkiG",
            "eyJhbGciOiJFUzI1NiJ9.MK4TTTVWJH.350000245250525_signature-Zt0",
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+MK4TTTVWJH/AA==",
        ] {
            let mail = "Order MQ4B3L1KD9:\n> \(line)\n> MA4GA1UdDwEB/wQEAwI=\n"
            #expect(AppStoreIdentifier.all(in: Array(mail.utf8), maxCount: 20) == [.order("MQ4B3L1KD9")], "\(line)")
        }
        let links = "https://example.com/a/b?order=MQ4B3L1KD9&x MK4TTTVWJH/MVXQ2L7K9P"
        #expect(AppStoreIdentifier.all(in: Array(links.utf8), maxCount: 20).count == 3)
    }
}
#endif
