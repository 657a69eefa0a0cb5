#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import HTTPTypes
import Hummingbird

/// The web inspector: its page, and the route that the page calls. Nothing that is sent to it is stored; what the App
/// Store answers about it is.
@available(AppReceiptServer 1.0, *)
struct InspectorRoutes: Sendable {
    private let service: ReceiptService
    private let inspector: Inspector

    init(service: ReceiptService) {
        self.service = service
        inspector = Inspector(receipts: service.receipts, signedData: service.signedData)
    }

    /// Adds the files of the page.
    func addPage(to group: RouterGroup<ServerContext>) {
        let roots = TrustedRoots(service.configuration.anchors, xcode: service.configuration.xcode)
        for file in InspectorPage.files(trust: roots.sentence, looksUpOrders: service.clients != nil) {
            group.get(RouterPath(file.path)) { request, _ in Self.response(file, to: request) }
        }
    }

    /// Adds the route that examines an input, and finds customers.
    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.post("/inspector/examine") { request, context in
            // A second line of defense behind `CrossOriginProtection`: a form can't send this type.
            guard request.hasMediaType("application/json") else {
                throw APIError(
                    .unsupportedMediaType, .contentTypeUnsupported, "Send JSON, with content type application/json.")
            }
            return try await service.admission.withBody(of: request) { body in
                let request = try ValidationRequest(
                    request, body: body, content: InspectorRequest.contents, options: InspectorRequest.options)
                return try await response(to: InspectorRequest(request), in: context)
            }
        }
    }

    private static func response(_ file: InspectorPage.File, to request: Request) -> Response {
        let isUnchanged = request.headers[.ifNoneMatch] == file.entityTag
        var response =
            isUnchanged
            ? Response(status: .notModified) : Response(bytes: file.bytes, contentType: file.contentType)
        response.headers.set(InspectorPage.headers)
        response.headers[.eTag] = file.entityTag
        return response
    }

    private func response(to request: InspectorRequest, in context: ServerContext) async throws -> Response {
        let now = Date()
        let document =
            switch request.source {
            case .sample(let sample): try inspector.examine(sample, for: request, now: now).bytes
            case .search(let text):
                try await document(
                    about: search(request, in: context).purchases(matching: text), in: PastedText(Array(text.utf8)),
                    by: search(request, in: context), now: now)
            case .bytes(let bytes): try await examine(bytes, for: request, in: context, now: now)
            }
        var response = Response(jsonBytes: document)
        response.headers.set(InspectorPage.responseHeaders)
        return response
    }

    /// Examines an input, and says what the server knows about the purchases that it proves.
    private func examine(
        _ bytes: [UInt8], for request: InspectorRequest, in context: ServerContext, now: Date
    ) async throws -> [UInt8] {
        let (input, text, search) = (inspector.input(bytes), PastedText(bytes), search(request, in: context))
        if input.evidence.items.count > 1,
            let several = try await examineItems(of: input, in: text, for: request, by: search, now: now)
        {
            return several
        }
        var response = try inspector.examine(input, for: restricted(request, to: input, for: context.access), now: now)
        service.metrics.countVerdict(kind: "inspector", code: response.code)
        let claimed = input.evidence.claimedPurchases
        let (found, lookup) = try await lookUp(claimed, in: text, by: search)
        if let found {
            return try await document(about: found, in: text, beside: claimed, lookup: lookup, by: search, now: now)
        }
        if let lookup { response.document.add("lookup", .string(lookup)) }
        guard let proof = response.proof else {
            return try await document(
                insteadOf: response, to: input, in: text, beside: claimed, by: search, now: now)
        }
        guard AppScope(app: proof.app, proof.environment) != nil else { return response.bytes }
        try context.access.check(proof.app)
        var submitted = SubmittedEvidence()
        submitted.add(proof.evidence, of: proof.app, in: proof.environment, at: 0)
        return try await document(of: response, with: submitted, in: text, by: search, now: now)
    }

    /// Looks up the purchases that an input claims, or those of the only account that it names.
    ///
    /// - Returns: What was found; nil for nothing. `lookup` of the document: nil if the claims led to what was found,
    ///   or if there are none.
    private func lookUp(
        _ claimed: ClaimedPurchases?, in text: PastedText, by search: CustomerSearch
    ) async throws -> (found: CustomerSearch.Found?, lookup: String?) {
        guard let claimed, !claimed.purchases.isEmpty else { return (nil, nil) }
        do {
            if let found = try await search.purchases(claimedBy: claimed) { return (found, nil) }
            return (try await search.onlyAccount(in: text), "unknown")
        } catch let error as APIError where error.code == .appStoreFailed {
            return (nil, "failed")
        }
    }

    /// Returns what the server knows about the customer whom an input names that proves nothing. If nobody is found,
    /// returns the response with what else the text names.
    private func document(
        insteadOf response: InspectorResponse, to input: InspectorInput, in text: PastedText,
        beside claimed: ClaimedPurchases?, by search: CustomerSearch, now: Date
    ) async throws -> [UInt8] {
        let count = input.evidence.items.count
        if let found = try await found(in: text, beside: claimed, insteadOf: response, of: count, by: search) {
            let isDamaged = !Self.isProse(code: response.code, claimed: claimed)
            return try await document(
                about: found, in: text, beside: claimed, isDamaged: isDamaged, by: search, now: now)
        }
        var response = response
        let leads = try await search.leads(toTransactions: response.namedTransactions, in: text)
        response.document.add("leads", Self.json(leads))
        return response.bytes
    }

    /// Searches a text that proves nothing: words, or a damaged receipt in a message of somebody who is known. An error
    /// also has what else the text contains: `hasDamagedItem` and `claimed`, as in documents.
    private func found(
        in text: PastedText, beside claimed: ClaimedPurchases?, insteadOf response: InspectorResponse, of count: Int,
        by search: CustomerSearch
    ) async throws -> CustomerSearch.Found? {
        guard count == 1, Self.isProse(code: response.code, claimed: claimed) else {
            return response.isDamaged ? try await search.storedPurchases(in: text) : nil
        }
        do {
            return try await search.purchases(in: text)
        } catch let error as APIError {
            var error = error
            if text.containsDocument { error.details["hasDamagedItem"] = true }
            if let claimed { error.details["claimed"] = claimed.json }
            throw error
        }
    }

    private static func json(_ leads: [CustomerSearch.Lead]) -> AppStoreJSON { .array(leads.map(\.json)) }

    /// Returns whether an input that isn't a document is words of a person, which may begin like base64 ("My order …")
    /// or contain the status of an error, or an order number alone. Dates among claims would look like transactions.
    private static func isProse(code: String?, claimed: ClaimedPurchases?) -> Bool {
        let codes: [ReceiptError.Code] = [.inputUnrecognized, .inputBase64Malformed, .responseWithoutReceipt]
        return (claimed?.purchases.isEmpty ?? true) && codes.contains { $0.rawValue == code }
    }

    /// Examines several items, each for its own app, and reports on the first one that counts; nil if none does. What
    /// is rejected never hides the rest.
    private func examineItems(
        of first: InspectorInput, in text: PastedText, for request: InspectorRequest,
        by search: CustomerSearch, now: Date
    ) async throws -> [UInt8]? {
        let (items, access) = (first.evidence.items, search.context.access)
        let submitted = try SubmittedEvidence(
            items.enumerated().map { (index: $0.offset, item: $0.element) }, expecting: request.expectations,
            by: service, for: access, now: now)
        let rejected = Set(submitted.rejections.map { $0.index })
        guard !submitted.evidence.isEmpty, let index = items.indices.first(where: { !rejected.contains($0) }) else {
            return nil
        }
        let input = index == 0 ? first : inspector.input(text.bytes, item: index)
        let response = try inspector.examine(input, for: restricted(request, to: input, for: access), now: now)
        service.metrics.countVerdict(kind: "inspector", code: response.code)
        return try await document(of: response, with: submitted, in: text, by: search, now: now)
    }

    /// Returns a response with what the server knows about the customer of its proof, and what else the text names.
    private func document(
        of response: InspectorResponse, with submitted: SubmittedEvidence, in text: PastedText,
        by search: CustomerSearch, now: Date
    ) async throws -> [UInt8] {
        let accounts = try await search.accounts(in: text)
        let customer = try await CustomerDocument(
            of: [], named: accounts, beside: submitted, by: service, in: search.context, now: now)
        var response = response
        let leads =
            try await search.leads(toOtherTransactionsIn: text, besides: customer)
            + search.leads(in: text, naming: accounts, besides: customer)
        response.document.add("leads", Self.json(leads))
        response.document.add("sendersPurchases", Self.sendersPurchases(in: text, of: accounts))
        return response.bytes(with: customer)
    }

    /// Restricts the expectations to what the server serves, so that the page says the same as the validation routes.
    private func restricted(
        _ request: InspectorRequest, to input: InspectorInput, for access: Access
    ) throws(APIError) -> InspectorRequest {
        var request = request
        switch input.item {
        case .receipt, .transactionReceipt:
            try service.restrict(&request.expectations, for: access, claimed: input.item.claimedBundleIdentifier)
        case .token(let token):
            let expected = try service.expectations(for: token, requested: request.expectations, by: access)
            request.expectations.bundleIdentifier = expected.bundleIdentifier
            request.expectations.environments = expected.environments
            request.appAppleIdentifiers = expected.appAppleIdentifier ?? .anyApp
        }
        return request
    }

    private func search(_ request: InspectorRequest, in context: ServerContext) -> CustomerSearch {
        CustomerSearch(service: service, scopes: RequestedScopes(request.expectations), context: context)
    }

    /// Returns what the server knows about a customer who was found, and what else the text contains.
    ///
    /// - Parameters:
    ///   - found: The purchases.
    ///   - text: The text that led to them.
    ///   - claimed: The unsigned data in it; nil for none.
    ///   - lookup: What became of the search for the claims; nil if it led to what was found.
    ///   - isDamaged: Whether the text contains a receipt or token that can't be read.
    ///   - search: What found them.
    ///   - now: The current time.
    private func document(
        about found: CustomerSearch.Found, in text: PastedText, beside claimed: ClaimedPurchases? = nil,
        lookup: String? = nil, isDamaged: Bool = false, by search: CustomerSearch, now: Date
    ) async throws -> [UInt8] {
        let accounts = try await search.accounts(in: text)
        let customer = try await CustomerDocument(
            of: found.customers, named: accounts, beside: SubmittedEvidence(), by: service, in: search.context, now: now
        )
        var leads = search.leads(in: text, naming: accounts, besides: customer, and: found.text)
        // Claims name transactions too.
        if found.match == .account, claimed == nil {
            leads = try await search.leads(toUnknownTransactionsIn: text) + leads
        }
        let environments = Set(found.purchases.map(\.scope.environment))
        var document = JSONDocument()
        document.add("kind", "customer")
        document.add("match", .string(found.match.rawValue))
        // What is stored was verified again.
        document.add("verdict", "valid")
        document.add("isProven", true)
        document.add("now", .date(now))
        document.add("input", ["name": .string(found.text), "items": 0])
        document.add("environment", .text(environments.count == 1 ? environments.first?.rawValue : nil))
        document.add("claimed", claimed?.json ?? .null)
        if let lookup { document.add("lookup", .string(lookup)) }
        document.add("hasDamagedItem", .boolean(isDamaged || text.containsDocument))
        document.add("leads", Self.json(leads))
        document.add("sendersPurchases", Self.sendersPurchases(in: text, of: accounts))
        customer.write(to: &document)
        return document.bytes
    }

    /// Returns the original transactions of the senders, who aren't told about others; null if no sender is known.
    private static func sendersPurchases(in text: PastedText, of accounts: [CustomerSearch.Found]) -> AppStoreJSON {
        let senders = text.senders
        let owned = accounts.filter { senders.contains($0.text.lowercased()) }.flatMap(\.purchases)
        guard !owned.isEmpty else { return .null }
        return .array(owned.map { .string($0.originalTransactionIdentifier) })
    }
}

extension HTTPFields {
    /// Sets every field of another collection.
    fileprivate mutating func set(_ fields: HTTPFields) {
        for field in fields { self[field.name] = field.value }
    }
}
#endif
