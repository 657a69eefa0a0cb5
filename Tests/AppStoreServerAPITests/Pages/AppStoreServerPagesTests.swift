import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import Foundation
import Testing

@Suite("AppStoreServerPages")
struct AppStoreServerPagesTests {
    /// A page of a history with one transaction.
    @available(AppStoreServerAPI 1.0, *)
    private func page(
        _ identifier: String, revision: String?, hasMore: Bool, in environment: SignedDataEnvironment = .production
    ) throws -> AppStoreServerHTTPResponse {
        .json([
            "revision": .text(revision), "hasMore": .boolean(hasMore), "bundleId": "com.example.app",
            "environment": .string(environment.rawValue),
            "signedTransactions": [.string(try signedTransaction(identifier, in: environment))],
        ])
    }

    @Test("Pages are requested one at a time, with the same filters and the revision of the page before")
    @available(AppStoreServerAPI 1.0, *)
    func order() async throws {
        let transport = ScriptedTransport(
            try page("1", revision: "r1", hasMore: true), try page("2", revision: "r2", hasMore: true),
            try page("3", revision: "r3", hasMore: false))
        var query = AppStoreServerClient.HistoryQuery()
        query.productTypes = [.consumable, .nonConsumable]
        query.order = .ascending
        var read: [String?] = []
        for try await page in try makeClient(transport).history(ofCustomer: "1", query: query) {
            read += page.transactions.map(\.claims.transactionIdentifier)
            #expect(transport.requests.count == read.count)
        }
        #expect(read == ["1", "2", "3"])
        let path = "GET production/inApps/v2/history/1?productType=CONSUMABLE&productType=NON_CONSUMABLE&sort=ASCENDING"
        #expect(transport.log == [path, "\(path)&revision=r1", "\(path)&revision=r2"])
    }

    @Test("All pages are joined, and the cursor continues later in the same environment")
    @available(AppStoreServerAPI 1.0, *)
    func collected() async throws {
        let responses = [
            .apple(4_040_010), try page("1", revision: "r1", hasMore: true, in: .sandbox),
            try page("2", revision: "r2", hasMore: false, in: .sandbox),
            try page("1", revision: "r3", hasMore: false, in: .sandbox),
        ]
        let transport = ScriptedTransport { _, number in responses[number] }
        let client = try makeClient(transport)
        let progress = LockedValueBox<[Int]>([])
        let history = try await client.history(ofCustomer: "1").collected { page in
            progress.withLock { $0.append(page.transactions.count) }
        }
        #expect(progress.withLock { $0 } == [1, 1])
        #expect(history.environment == .sandbox)
        #expect(history.pageCount == 2)
        #expect(history.transactions.map(\.claims.transactionIdentifier) == ["1", "2"])
        let cursor = try #require(history.cursor)
        #expect(cursor.description == "sandbox:r2")
        let restored = try #require(AppStoreServerCursor(cursor.description))
        let later = try await client.history(
            ofCustomer: "1", query: AppStoreServerClient.HistoryQuery(cursor: restored)
        ).collected()
        #expect(later.transactions.count == 1)
        #expect(
            transport.log == [
                "GET production/inApps/v2/history/1", "GET sandbox/inApps/v2/history/1",
                "GET sandbox/inApps/v2/history/1?revision=r1", "GET sandbox/inApps/v2/history/1?revision=r2",
            ])
    }

    @Test("The revision that was sent, a revision seen before, or the cursor's revision is an error at once")
    @available(AppStoreServerAPI 1.0, *)
    func cycles() async throws {
        for (revisions, requests, cursor) in [
            (["a", "a"], 2, nil), (["a", "b", "a"], 3, nil), (["c"], 1, "c"),
        ] as [([String], Int, String?)] {
            let pages = try revisions.map { try page("1", revision: $0, hasMore: true) }
            let transport = ScriptedTransport { _, number in pages[min(number, pages.count - 1)] }
            var query = AppStoreServerClient.HistoryQuery()
            query.cursor = cursor.map { AppStoreServerCursor(environment: .production, revision: $0) }
            let pagesOfCustomer = try makeClient(transport).history(ofCustomer: "1", query: query)
            let error = await failure { try await pagesOfCustomer.all() }
            #expect(error?.code == .pagesWithoutEnd)
            #expect(transport.requests.count == requests)
        }
    }

    @Test("Another page without a revision is an error")
    @available(AppStoreServerAPI 1.0, *)
    func missingRevision() async throws {
        for revision in [nil, ""] {
            let transport = ScriptedTransport(try page("1", revision: revision, hasMore: true))
            let error = await failure { try await makeClient(transport).history(ofCustomer: "1").collected() }
            #expect(error?.code == .responseUnreadable)
            #expect(transport.requests.count == 1)
        }
    }

    @Test("The number of pages is bounded, and the pages before are delivered")
    @available(AppStoreServerAPI 1.0, *)
    func bounded() async throws {
        let transport = ScriptedTransport { _, number in
            .json(["revision": .string("r\(number)"), "hasMore": true, "signedTransactions": []])
        }
        let client = try makeClient(transport) { $0.maxPages = 3 }
        var count = 0
        var caught: AppStoreServerError?
        do {
            for try await _ in client.history(ofCustomer: "1") { count += 1 }
        } catch {
            caught = error as? AppStoreServerError
        }
        #expect(caught?.code == .tooManyPages)
        #expect(count == 3)
        #expect(transport.requests.count == 3)
    }

    @Test("Pages that repeat only earlier items end the iteration, even if each names a new page")
    @available(AppStoreServerAPI 1.0, *)
    func repeated() async throws {
        let transactions = try ["1", "2"].map { AppStoreJSON.string(try signedTransaction($0)) }
        let transport = ScriptedTransport { _, number in
            .json(["revision": .string("r\(number)"), "hasMore": true, "signedTransactions": .array(transactions)])
        }
        let error = await failure { try await makeClient(transport).history(ofCustomer: "1").collected() }
        #expect(error?.code == .pagesWithoutEnd)
        #expect(transport.requests.count == 4)
    }

    @Test("A page that repeats items, because they changed in the meantime, doesn't end the iteration")
    @available(AppStoreServerAPI 1.0, *)
    func changed() async throws {
        let transport = ScriptedTransport(
            try page("1", revision: "a", hasMore: true), try page("1", revision: "b", hasMore: true),
            try page("2", revision: "c", hasMore: true), try page("1", revision: "d", hasMore: true),
            try page("3", revision: "e", hasMore: false))
        let history = try await makeClient(transport).history(ofCustomer: "1").collected()
        #expect(history.transactions.count == 5)
    }

    @Test("An item that fails doesn't hide the others, and keeps its position in the whole list")
    @available(AppStoreServerAPI 1.0, *)
    func rejected() async throws {
        let good = AppStoreJSON.string(try signedTransaction("1"))
        let foreign = AppStoreJSON.string(try signedTransaction("2") { $0.bundleIdentifier = "com.example.other" })
        let transport = ScriptedTransport(
            .json(["revision": "a", "hasMore": true, "signedTransactions": [good, foreign]]),
            .json(["revision": "b", "hasMore": false, "signedTransactions": [7, good, "x"]]))
        let history = try await makeClient(transport).history(ofCustomer: "1").collected()
        #expect(history.transactions.count == 2)
        #expect(history.rejected.map(\.index) == [1, 2, 4])
        #expect(history.rejected.map(\.error.code) == [.verificationFailed, .responseUnreadable, .verificationFailed])
        #expect(history.rejected[0].error.receiptError?.code == .bundleIdentifierMismatch)
        #expect(history.rejected[2].error.receiptError?.code == .tokenMalformed)
    }

    @Test("The environment of the first page is kept: the following pages don't fall back")
    @available(AppStoreServerAPI 1.0, *)
    func environment() async throws {
        let responses = [try page("1", revision: "r1", hasMore: true), .apple(4_040_010)]
        let transport = ScriptedTransport { _, number in responses[number] }
        let error = await failure { try await makeClient(transport).history(ofCustomer: "1").all() }
        #expect(error?.code == .transactionIdentifierNotFound)
        #expect(transport.log.allSatisfy { $0.contains("production") })
    }

    @Test("Refunds have pages too")
    @available(AppStoreServerAPI 1.0, *)
    func refunds() async throws {
        let transport = ScriptedTransport(
            try page("1", revision: "r1", hasMore: true), try page("2", revision: "r2", hasMore: false))
        let history = try await makeClient(transport).refunds(ofCustomer: "1").collected()
        #expect(history.transactions.count == 2)
        #expect(
            transport.log == [
                "GET production/inApps/v2/refund/lookup/1", "GET production/inApps/v2/refund/lookup/1?revision=r1",
            ])
    }

    @Test("Pages of notifications have the same body and the token of the page before, in one environment")
    @available(AppStoreServerAPI 1.0, *)
    func notifications() async throws {
        let payload = AppStoreJSON.string(try TestNotification().signed())
        let attempts: AppStoreJSON = [["attemptDate": 1_698_148_900_000, "sendAttemptResult": "NO_RESPONSE"]]
        let transport = ScriptedTransport(
            .json([
                "paginationToken": "p1", "hasMore": true,
                "notificationHistory": [["signedPayload": payload, "sendAttempts": attempts], ["signedPayload": "x"]],
            ]),
            .json(["paginationToken": "p1", "hasMore": false, "notificationHistory": [["signedPayload": payload]]]))
        let query = AppStoreServerClient.NotificationHistoryQuery(
            from: instant("2024-12-01T00:00:00Z"), to: now, filter: .type(.test, subtype: .summary), onlyFailures: true)
        let pages = try await makeClient(transport).notificationHistory(query, in: .sandbox).all()
        #expect(pages.map(\.notifications.count) == [1, 1])
        #expect(pages[0].rejected.map(\.index) == [1])
        let attempt = try #require(pages[0].notifications[0].unverified.sendAttempts.first)
        #expect(attempt.result == .noResponse)
        #expect(attempt.date == Date(timeIntervalSince1970: 1_698_148_900))
        #expect(
            transport.log == [
                "POST sandbox/inApps/v1/notifications/history",
                "POST sandbox/inApps/v1/notifications/history?paginationToken=p1",
            ])
        let body = try #require(transport.requests[1].body)
        #expect(body == transport.requests[0].body)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"startDate":1733011200000,"endDate":1735689600000,"notificationType":"TEST","notificationSubtype":"SUMMARY","onlyFailures":true}"#
        )
    }
}
