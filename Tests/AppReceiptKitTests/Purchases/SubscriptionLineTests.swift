import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("SubscriptionLine")
struct SubscriptionLineTests {
    @Test("a line holds its periods, oldest first, whatever the order of the bytes")
    func periods() throws {
        let trial = Trial.bought(
            Self.period("silver", "12", "2024-03-01", "2024-04-01"),
            Self.period("silver", "1", "2024-01-01", "2024-02-01"),
            Self.period("silver", "2", "2024-02-01", "2024-03-01"))
        for trial in [trial, trial.inOrder(reversed: false), trial.inOrder(reversed: true)] {
            let line = try Self.onlyLine(trial)
            #expect(line.originalTransactionIdentifier == "1")
            #expect(line.periods.map(\.purchase).transactions == ["1", "2", "12"])
            #expect(line.periods.map(\.start) == [day("2024-01-01"), day("2024-02-01"), day("2024-03-01")])
            #expect(line.periods.map(\.end) == [day("2024-02-01"), day("2024-03-01"), day("2024-04-01")])
            #expect(line.latest.purchase.transactionIdentifier == "12")
        }
    }

    @Test("a date lies in a period from its start on, and at its end no longer")
    func boundaries() throws {
        let line = try Self.onlyLine(
            .bought(
                Self.period("silver", "1", "2024-01-01", "2024-02-01"),
                Self.period("silver", "2", "2024-02-01", "2024-03-01")))
        for (date, transaction) in [
            ("2023-12-31T23:59:59.999Z", nil), ("2024-01-01T00:00:00Z", "1"), ("2024-01-31T23:59:59.999Z", "1"),
            ("2024-02-01T00:00:00Z", "2"), ("2024-02-29T23:59:59.999Z", "2"), ("2024-03-01T00:00:00Z", nil),
        ] {
            let date = instant(date)
            #expect(line.period(at: date)?.purchase.transactionIdentifier == transaction)
            #expect(line.isActive(at: date) == (transaction != nil))
            #expect(line.periods.map { $0.contains(date) } == [transaction == "1", transaction == "2"])
        }
    }

    @Test("a line that was interrupted is one line, and not active in the gap")
    func gaps() throws {
        let line = try Self.onlyLine(
            .bought(
                Self.period("silver", "1", "2024-01-01", "2024-02-01"),
                Self.period("silver", "2", "2024-05-01", "2024-06-01")))
        #expect(line.periods.count == 2)
        #expect(line.isActive(at: day("2024-01-31")) && line.isActive(at: day("2024-05-01")))
        #expect(!line.isActive(at: day("2024-02-01")) && !line.isActive(at: day("2024-04-30")))
        #expect(line.period(at: day("2024-03-15")) == nil)
    }

    @Test("an upgrade ends one period and begins the next, of another product in the same line")
    func upgrade() throws {
        let noon = instant("2024-01-10T12:00:00Z")
        let purchases = try Trial.bought(
            Self.period("silver", "1", "2024-01-01", "2024-02-01").cancelled(at: noon),
            TestPurchase(subscription: "gold", transaction: "2", original: "1", from: noon, to: day("2025-01-10")),
            Self.period("silver", "3", "2025-01-10", "2025-02-10")
        ).purchases()
        let line = try #require(purchases.subscriptionLine("1"))
        #expect(purchases.subscriptionLines == [line])
        #expect(line.periods.map(\.purchase.productIdentifier) == ["silver", "gold", "silver"])
        #expect(line.periods.map(\.end) == [noon, day("2025-01-10"), day("2025-02-10")])
        #expect(line.periods.first?.purchase.expirationDate == day("2024-02-01"))
        #expect(line.period(at: instant("2024-01-10T11:59:59Z"))?.purchase.productIdentifier == "silver")
        #expect(line.period(at: noon)?.purchase.productIdentifier == "gold")
        #expect(purchases.latestTransaction(ofLine: "1")?.transactionIdentifier == "3")
    }

    @Test(
        "a refund ends a period at its instant, if the period had not ended before",
        arguments: [
            ("2024-01-10T12:00:00Z", "2024-01-10T12:00:00Z"), ("2024-02-01T00:00:00Z", "2024-02-01T00:00:00Z"),
            ("2024-06-01T00:00:00Z", "2024-02-01T00:00:00Z"), ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
            ("2023-12-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        ])
    func refund(_ cancellation: String, _ end: String) throws {
        let line = try Self.onlyLine(
            .bought(Self.period("silver", "1", "2024-01-01", "2024-02-01").cancelled(at: instant(cancellation))))
        #expect(line.periods.map(\.start) == [day("2024-01-01")])
        #expect(line.periods.map(\.end) == [instant(end)])
        #expect(!line.isActive(at: instant(end)))
        #expect(line.isActive(at: instant(end) - 1) == (instant(end) > day("2024-01-01")))
        #expect(line.latest.purchase.cancellationDate == instant(cancellation))
    }

    @Test("a period that ends before it begins has no length")
    func negativePeriod() throws {
        let line = try Self.onlyLine(.bought(Self.period("silver", "1", "2024-01-10", "2024-01-05")))
        #expect(line.latest.start == day("2024-01-05") && line.latest.end == day("2024-01-05"))
        #expect(!line.isActive(at: day("2024-01-10")) && !line.isActive(at: day("2024-01-07")))
    }

    @Test("transactions that say the same of the same period are one period, that of the last transaction")
    func restores() throws {
        let january = Self.period("silver", "100", "2024-01-01", "2024-02-01")
        let line = try Self.onlyLine(
            .bought(
                january.with { $0.transactionIdentifier = "1000" }, january.with { $0.transactionIdentifier = "999" },
                january, Self.period("silver", "101", "2024-02-01", "2024-03-01")))
        #expect(line.periods.map(\.purchase).transactions == ["1000", "101"])
    }

    @Test(
        "transactions that differ in product, start, or end are periods of their own",
        arguments: [
            period("gold", "2", "2024-01-01", "2024-02-01"), period("silver", "2", "2024-01-02", "2024-02-01"),
            period("silver", "2", "2024-01-01", "2024-02-02"),
            period("silver", "2", "2024-01-01", "2024-02-01").without(1702),
        ])
    func otherPeriods(_ other: TestPurchase) throws {
        let line = try Self.onlyLine(.bought(Self.period("silver", "1", "2024-01-01", "2024-02-01"), other))
        #expect(line.periods.count == 2)
    }

    @Test("where periods overlap a date lies in the later one, and the line is active while any is")
    func overlaps() throws {
        let line = try Self.onlyLine(
            .bought(
                Self.period("silver", "1", "2024-01-01", "2024-02-01"),
                Self.period("gold", "2", "2024-01-20", "2024-03-01")))
        #expect(line.period(at: day("2024-01-19"))?.purchase.productIdentifier == "silver")
        #expect(line.period(at: day("2024-01-20"))?.purchase.productIdentifier == "gold")
        #expect(line.period(at: day("2024-02-01"))?.purchase.productIdentifier == "gold")
        #expect(line.periods.filter { $0.contains(day("2024-01-25")) }.count == 2)
        #expect(line.latest.purchase.productIdentifier == "gold")
    }

    @Test("of two copies of a period the one that was refunded counts, in the line and in what is active")
    func refundedCopy() throws {
        let january = Self.period("silver", "1", "2024-01-01", "2024-02-01")
        let copy = Self.period("silver", "2", "2024-01-01", "2024-02-01", line: "1")
        for pair in [
            [january.cancelled(at: day("2024-01-10")), copy], [january, copy.cancelled(at: day("2024-01-10"))],
        ] {
            let trial = Trial.with { $0.receipt.purchases = pair }
            let line = try Self.onlyLine(trial)
            #expect(line.periods.map(\.end) == [day("2024-01-10")])
            let purchases = try trial.purchases()
            #expect(purchases.isActive("silver", at: day("2024-01-09")))
            #expect(!purchases.isActive("silver", at: day("2024-01-10")))
            #expect(purchases.active(at: day("2024-01-20")).isEmpty)
        }
        // Another period of the same line is another purchase.
        let february = Self.period("silver", "3", "2024-02-01", "2024-03-01", line: "1")
        let both = try Trial.bought(january.cancelled(at: day("2024-01-10")), february).purchases()
        #expect(both.isActive("silver", at: day("2024-02-02")))
    }

    @Test("what Xcode numbers the same is a line for each product")
    func xcodeLines() throws {
        let trial = try Trial.bought(
            Self.period("gold", "0", "2024-01-01", "2024-02-01"), Self.period("silver", "0", "2024-01-02", "2024-02-02")
        ).likeXcode()
        let lines = try trial.purchases().subscriptionLines
        #expect(lines.map { $0.periods.map(\.purchase.productIdentifier) } == [["gold"], ["silver"]])
    }

    @Test("a copy restored after its period brings no time beyond it")
    func restoredLate() throws {
        let january = Self.period("silver", "1", "2024-01-01", "2024-02-01")
        let restored = Self.period("silver", "2", "2024-06-01", "2024-02-01", line: "1")
        let line = try Self.onlyLine(.bought(january, restored))
        #expect(line.latest.end == day("2024-02-01"))
        #expect(line.period(at: day("2024-01-15"))?.purchase.transactionIdentifier == "1")
        #expect(!line.isActive(at: day("2024-03-01")) && !line.isActive(at: day("2024-06-01")))
    }

    @Test("what is no period counts neither for the order of lines nor for a line of its own")
    func orderByPeriods() throws {
        let undated = Self.period("a", "1", "2024-01-01", "2024-02-01", line: "1").without(1708)
        let lines = try Trial.bought(
            undated, Self.period("a", "3", "2024-05-01", "2024-06-01", line: "1"),
            Self.period("b", "2", "2024-03-01", "2024-04-01", line: "2")
        ).purchases().subscriptionLines
        #expect(lines.map(\.originalTransactionIdentifier) == ["2", "1"])
    }

    @Test("printed it names nobody's transaction")
    func description() throws {
        let line = try Self.onlyLine(.bought(Self.period("silver", "987654", "2024-01-01", "2024-02-01")))
        #expect(!"\(line)".contains("987654"))
    }

    @Test("the latest period is the one that was bought last")
    func latest() throws {
        let year = Self.period("yearly", "1", "2024-01-01", "2025-01-01")
        let nested = try Self.onlyLine(.bought(year, Self.period("monthly", "2", "2024-03-01", "2024-04-01")))
        #expect(nested.latest.purchase.productIdentifier == "monthly")
        #expect(nested.period(at: day("2024-03-15"))?.purchase.productIdentifier == "monthly")
        #expect(nested.period(at: day("2024-05-01"))?.purchase.productIdentifier == "yearly")
        let together = try Self.onlyLine(.bought(year, Self.period("monthly", "2", "2024-12-01", "2025-01-01")))
        #expect(together.latest.purchase.productIdentifier == "monthly")
        let refunded = try Self.onlyLine(
            .bought(
                year.cancelled(at: day("2024-02-01")), Self.period("monthly", "2", "2024-03-01", "2024-04-01")))
        #expect(refunded.latest.purchase.productIdentifier == "monthly")
        #expect(refunded.isActive(at: day("2024-03-15")))
    }

    @Test("the latest transaction of a line is the last renewal, refunded or not")
    func latestTransaction() throws {
        let january = Self.period("silver", "1", "2024-01-01", "2024-02-01")
        let february = Self.period("silver", "2", "2024-02-01", "2024-03-01")
        for cancellation in [nil, day("2024-01-31"), day("2024-02-01"), day("2024-02-10"), day("2024-03-01")] {
            let purchases = try Trial.bought(january, february.with { $0.cancellationDate = cancellation }).purchases()
            let latest = purchases.latestTransaction(ofLine: "1")
            #expect(latest?.transactionIdentifier == "2" && latest?.cancellationDate == cancellation)
        }
    }

    @Test("lines come in the order of their first periods, each with its own")
    func severalLines() throws {
        let trial = Trial.bought(
            Self.period("news", "20", "2024-02-01", "2024-03-01", line: "20"),
            Self.period("silver", "30", "2024-01-01", "2024-02-01", line: "30"),
            Self.period("news", "31", "2024-03-01", "2024-04-01", line: "20"),
            Self.period("silver", "21", "2024-02-15", "2024-03-15", line: "30"),
            Self.period("music", "9", "2024-02-01", "2024-03-01", line: "9"))
        for trial in [trial, trial.inOrder(reversed: false), trial.inOrder(reversed: true)] {
            let purchases = try trial.purchases()
            let lines = purchases.subscriptionLines
            #expect(lines.map(\.originalTransactionIdentifier) == ["30", "9", "20"])
            #expect(lines.map { $0.periods.map(\.purchase).transactions } == [["30", "21"], ["9"], ["20", "31"]])
            for line in lines {
                #expect(purchases.subscriptionLine(line.originalTransactionIdentifier) == line)
                #expect(
                    purchases.latestTransaction(ofLine: line.originalTransactionIdentifier) == line.latest.purchase)
            }
        }
    }

    @Test("one product bought anew in another line is two lines")
    func sameProduct() throws {
        let lines = try Trial.bought(
            Self.period("silver", "1", "2024-01-01", "2024-02-01", line: "1"),
            Self.period("silver", "2", "2024-01-15", "2024-02-15", line: "2")
        ).purchases().subscriptionLines
        #expect(lines.map(\.originalTransactionIdentifier) == ["1", "2"])
    }

    @Test("a line that is not there is none, also under the identifier of a renewal")
    func missingLine() throws {
        let purchases = try Trial.bought(Self.period("silver", "2", "2024-01-01", "2024-02-01")).purchases()
        #expect(purchases.subscriptionLine("1") != nil)
        for identifier in ["2", "3", "", "01", "silver"] {
            #expect(purchases.subscriptionLine(identifier) == nil)
            #expect(purchases.latestTransaction(ofLine: identifier) == nil)
        }
    }

    @Test(
        "what the store does not renew is in no line",
        arguments: [
            InAppPurchase.ProductType.nonConsumable, .consumable, .nonRenewingSubscription,
        ])
    func otherTypes(_ type: InAppPurchase.ProductType) throws {
        for end in [nil, day("2024-02-01")] {
            let thing = TestPurchase("thing", transaction: "1", at: day("2024-01-01"), type: type)
            let purchases = try Trial.bought(thing.with { $0.expirationDate = end }).purchases()
            #expect(purchases.subscriptionLines.isEmpty)
            #expect(purchases.subscriptionLine("1") == nil)
            #expect(purchases.latestTransaction(ofLine: "1") == nil)
        }
    }

    @Test(
        "a transaction without a start or an end is no period, and a line without periods is none",
        arguments: [
            1704, 1708,
        ])
    func withoutDates(_ type: Int) throws {
        let undated = Self.period("silver", "2", "2024-02-01", "2024-03-01").without(type)
        let alone = try Trial.bought(undated).purchases()
        #expect(alone.subscriptionLines.isEmpty)
        #expect(alone.subscriptionLine("1") == nil && alone.latestTransaction(ofLine: "1") == nil)
        let line = try Self.onlyLine(.bought(undated, Self.period("silver", "1", "2024-01-01", "2024-02-01")))
        #expect(line.periods.map(\.purchase).transactions == ["1"])
    }

    @Test("a first transaction that names no original is of the same line as its renewals")
    func firstWithoutOriginal() throws {
        let line = try Self.onlyLine(
            .bought(
                Self.period("silver", "1", "2024-01-01", "2024-02-01").without(1705),
                Self.period("silver", "2", "2024-02-01", "2024-03-01")))
        #expect(line.periods.map(\.purchase).transactions == ["1", "2"])
    }

    @Test("a period that names no product, or no transaction but the original, counts all the same")
    func withoutNames() throws {
        let line = try Self.onlyLine(
            .bought(
                Self.period("silver", "1", "2024-01-01", "2024-02-01").without(1702),
                Self.period("silver", "2", "2024-02-01", "2024-03-01").without(1703),
                Self.period("silver", "3", "2024-03-01", "2024-04-01").without(1707)))
        #expect(line.periods.count == 3)
        #expect(line.isActive(at: day("2024-01-15")) && line.isActive(at: day("2024-02-15")))
        #expect(line.isActive(at: day("2024-03-15")))
    }

    @Test("in Xcode's receipts each transaction is a line of its own")
    func xcode() throws {
        let purchases = try Trial.bought(
            Self.period("silver", "0", "2024-01-01", "2024-02-01"),
            Self.period("silver", "1", "2024-02-01", "2024-03-01"),
            TestPurchase("pro", transaction: "2", at: day("2024-01-15"))
        ).likeXcode().purchases()
        #expect(purchases.subscriptionLines.map(\.originalTransactionIdentifier) == ["0", "1"])
        #expect(purchases.subscriptionLines.map(\.periods.count) == [1, 1])
        #expect(purchases.subscriptionLine("1")?.latest.start == day("2024-02-01"))
        #expect(purchases.subscriptionLine("2") == nil)
    }

    @Test("a line is active when one of its transactions is")
    func agreesWithPurchases() throws {
        let purchases = try Trial.bought(
            Self.period("silver", "1", "2024-01-01", "2024-02-01"),
            Self.period("silver", "2", "2024-01-01", "2024-02-01"),
            Self.period("silver", "3", "2024-02-01", "2024-03-01").cancelled(at: day("2024-02-10")),
            Self.period("gold", "4", "2024-02-10", "2024-02-20").cancelled(at: day("2024-02-05")),
            Self.period("gold", "5", "2024-03-05", "2024-04-05"),
            Self.period("silver", "6", "2024-03-20", "2024-03-25").cancelled(at: day("2024-05-01"))
        ).purchases()
        let line = try #require(purchases.subscriptionLine("1"))
        for offset in stride(from: -1.0, to: 120, by: 0.5) {
            let date = day("2024-01-01") + offset * 86_400
            #expect(line.isActive(at: date) == !purchases.active(at: date).isEmpty, "\(date)")
        }
    }

    /// The only line, which must be the same from what was verified and from the bytes.
    private static func onlyLine(
        _ trial: Trial, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SubscriptionLine {
        let lines = try trial.purchases().subscriptionLines
        try #require(lines.count == 1, sourceLocation: sourceLocation)
        #expect(try trial.unverifiedPurchases().subscriptionLines == lines, sourceLocation: sourceLocation)
        return lines[0]
    }

    private static func period(
        _ product: String, _ transaction: String, _ start: String, _ end: String, line: String = "1"
    ) -> TestPurchase {
        TestPurchase(subscription: product, transaction: transaction, original: line, from: day(start), to: day(end))
    }
}
