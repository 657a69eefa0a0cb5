#if Server
import AppReceiptStore
import Foundation
@testable import AppReceiptServer
#endif

extension ErrorCatalog {
    #if Server
    /// The codes of the server.
    static let server = [requests, database]

    private static let requests = Group(
        title: "Requests to the API",
        introduction: """
            The codes of `{"error": {"code", "message", "documentation"}}`. [server.md](server.md#the-json-api) lists their HTTP \
            statuses. Apple's endpoints have their own statuses.
            """,
        entries: APIError.Code.allCases.map { code in
            let (cause, remedy) = text(code)
            return Entry(code.rawValue, cause: cause, remedy: remedy)
        } + [
            Entry(
                "not-posted",
                cause:
                    "A client sent GET instead of POST to one of Apple's endpoints. Only the log and the metrics contain this code.",
                remedy: "Send the request with POST. The client gets the status 21000.")
        ])

    private static func text(_ code: APIError.Code) -> (cause: String, remedy: String) {
        switch code {
        case .bodyBroken:
            (
                "The body is incomplete, or isn't valid HTTP.",
                "Send the request again. If it fails again, check the client and the proxies in between."
            )
        case .bodyMalformed:
            (
                "The body isn't a JSON object.",
                "Send a JSON object, or the receipt or token itself without quotation marks."
            )
        case .contentMissing:
            (
                "The request contains no receipt or token.",
                "Send it as the body, or as the member that the message names."
            )
        case .contentMistyped:
            (
                "The JSON object has several members with content, or one that isn't a string.",
                "Send exactly one of the members that the message names, as a string."
            )
        case .contentMalformed:
            ("The input of the inspector isn't base64.", "Send `input` in standard base64 with padding.")
        case .contentAmbiguous:
            (
                "The content contains several receipts or tokens, or is itself a request to this server.",
                """
                Send each receipt or token in a request of its own. Send a request as the body, with content type \
                `application/json`, because its options would be ignored otherwise.
                """
            )
        case .optionUnknown:
            (
                "The request has an option that the route doesn't have.",
                "Correct or remove it. The message lists the options. They are errors because a typo could disable a check."
            )
        case .optionMistyped:
            ("An option has the wrong JSON type.", "Send the type that the message names.")
        case .optionMalformed:
            (
                "The value of an option is empty, null, too long, or can't be parsed.",
                "Send a value as the message describes, or leave the option out."
            )
        case .optionRepeated:
            ("An option that has a single value is given more than once.", "Give it once.")
        case .optionConflict:
            (
                """
                In a request: the option has different values in the query and in the body. In a record of `appreceipt batch`: \
                the option allows something that the same option of the command doesn't allow.
                """,
                """
                In a request, give the option once, or twice with the same value. In a record, remove it, or run the record with \
                other options: a record can narrow the command's options, not widen or change them.
                """
            )
        case .bundleNotServed:
            (
                "The server doesn't serve the app in `bundle-id`.",
                "Send one of the apps that the message names, or none, or add the app to the server's settings `bundle-id` or `apps`."
            )
        case .environmentNotServed:
            (
                "The server doesn't serve the environment in `environment`, or the app of an order in production.",
                "Send one of the environments that the message names, or add it to the server's setting `environment`."
            )
        case .appUnspecified:
            (
                "Renewal information doesn't name its app, and nothing else of its purchase is known or in the request.",
                "Send a transaction of the same purchase, or its receipt, beside it. If the purchase is known already, `bundle-id` is enough."
            )
        case .notAPurchase:
            (
                "Signed data that isn't evidence of a purchase, or at `/commerce` anything but a transaction.",
                "Send transactions, renewal information, notifications and receipts; to `/commerce` the signed transaction alone, such as the `signedTransactionInfo` in a notification."
            )
        case .pathMalformed:
            (
                "A part of the path isn't percent-encoded UTF-8, or is longer than an order number can be.",
                "Percent-encode the account or identifier. Copy the order number from the mail from the App Store."
            )
        case .cursorMalformed:
            (
                "`after` isn't a cursor, or beyond the last event of the database.",
                """
                Send the `next` of an earlier answer, or leave `after` out to begin with the first event. If the database \
                was restored from a backup, continue after the last event that it has in common with yours: the numbers \
                after it are of other events now.
                """
            )
        case .accountTooLong:
            (
                "The account, in the header `X-Account` or in the path, is longer than 256 bytes.",
                "Send a shorter identifier, such as a UUID."
            )
        case .accountMalformed:
            (
                "The account, in the header `X-Account` or in the path, is empty, occurs several times, or contains spaces, control characters or characters that aren't ASCII.",
                "Send visible ASCII characters only, such as a UUID."
            )
        case .unauthorized:
            (
                "The server requires a token, and the request's is missing or wrong.",
                "Send the server's token as `Authorization: Bearer …`. The operator sets it with `token-file`."
            )
        case .roleInsufficient:
            (
                "The client's token has a role that may not do this. The message names those that may.",
                "Use a token whose role may: `verify` validates and sends evidence, `read` also reads, `support` only reads, `admin` may do everything."
            )
        case .appNotAllowed:
            ("The client's token isn't for this app.", "Use a token whose `apps` contain it.")
        case .crossOrigin:
            (
                "A browser sent the request for another site, or to a host that isn't allowed.",
                "Open the page at an allowed address, or add its host to the server's setting `allowed-host`. Web pages of other "
                    + "sites can't use the server: send their requests through a back end. For the page of an app with "
                    + "cordova-plugin-purchase, add its origin to `allowed-origin`."
            )
        case .notFound:
            ("The path doesn't exist, or a setting turns it off.", "Check the path. `/openapi.json` lists the routes.")
        case .accountUnknown:
            (
                "No purchase of the account is known, or none that the client's token may see.",
                "Send the customer's receipts and tokens to `/v1/accounts/{account}/evidence`."
            )
        case .purchaseUnknown:
            (
                "No purchase with the identifier is known, or none of the requested apps and environments.",
                "Send its receipt or token first."
            )
        case .orderUnknown:
            (
                "The App Store doesn't know the order number as one of the app.",
                "Check the number in the mail from the App Store. Purchases in the sandbox have none."
            )
        case .customerUnknown:
            (
                "The server knows nothing under the account, transaction or order number that the inspector's page searches.",
                "Check the number, or paste the customer's receipt. Order numbers need `--store-key`."
            )
        case .customerAmbiguous:
            (
                "The text that the inspector's page searches names several customers: accounts, or numbers of orders or transactions.",
                "Search for one of them. The error's member `candidates` lists them."
            )
        case .inspectorSampleUnknown:
            ("The inspector has no sample of this name.", "Reload the page, because the server may have been updated.")
        case .methodNotAllowed:
            ("The path doesn't have this method.", "Use a method that the header `Allow` lists.")
        case .accountSigned:
            (
                "The purchase has a signed `appAccountToken` of another account.",
                "Nothing: the signed account owns it. To move it, change the token with `appreceipt store app-account-token`."
            )
        case .bodyTooLarge:
            (
                "The body is larger than the limit.",
                "Check that this is one receipt or token. The server's setting `max-body` is the limit."
            )
        case .contentTypeUnsupported:
            ("The inspector's request isn't JSON.", "Send it with the content type `application/json`.")
        case .httpError:
            ("The request isn't valid for HTTP.", "Check the client. The HTTP status names the problem.")
        case .stateUnavailable:
            (
                "The server couldn't read or write its database.",
                "Retry later. The operator finds the reason in the log: see [Database of the server](#database-of-the-server)."
            )
        case .tooMuchEvidence:
            (
                "More evidence is stored about these purchases than the server reads for one receipt.",
                "Send the customer's newest receipt. If that fails too, contact the server's operator."
            )
        case .untrustedRevocation:
            (
                "A root that the server doesn't trust any more signed a stored refund or upgrade of these purchases.",
                "The operator trusts the root again, or deletes the purchase: see [Refunds of former roots](server.md#refunds-of-former-roots)."
            )
        case .internalError:
            (
                "Internal server error.",
                "Retry later. The operator finds the type of the error in the log, under the response's `X-Request-Id`."
            )
        case .appStoreUnconfigured:
            (
                "The server has no key for the App Store Server API, or none for the app.",
                "The operator sets `store-key`, `store-key-id` and `store-issuer-id`."
            )
        case .appStoreFailed:
            (
                "The App Store can't be reached, doesn't answer in time, or rejects the request.",
                "Retry later. The operator finds the reason in the log."
            )
        case .overloaded:
            (
                "The server is overloaded, or too many requests wait for events or for the App Store. The message says which.",
                "Retry after the time in the header `Retry-After`. The operator finds the limit in the metrics."
            )
        }
    }

    private static let database = Group(
        title: "Database of the server",
        introduction: "`appreceipt serve` prints these codes when it can't start, and logs them while it runs.",
        entries: StoreError.Code.allCases.compactMap { code in
            guard ![.tooMuchEvidence, .untrustedRevocation, .canceled].contains(code) else { return nil }
            // A problem and what to do, in a sentence each, and the code in brackets.
            let text = StoreError(code).description.prefix { $0 != "[" }
            guard let end = text.range(of: ". ") else { return Entry(code.rawValue, cause: String(text), remedy: nil) }
            let remedy = [String(text[end.upperBound...].dropLast()), databaseAdvice[code] ?? ""].filter { !$0.isEmpty }
            return Entry(
                code.rawValue, cause: "\(text[..<end.lowerBound]).",
                remedy: remedy.isEmpty ? nil : remedy.joined(separator: " "))
        })

    /// Where to look in either engine, if the message of the error isn't enough.
    private static let databaseAdvice: [StoreError.Code: String] = [
        .foreignDatabase: """
        Nothing was changed. A file of SQLite has the `application_id` of another program, or tables but none. A \
        PostgreSQL schema has a table with the name of one of the server's, such as `events`, but not \
        `appreceipt_schema`: create a database or a schema for the server, and name it in the address, as in \
        `?options=-csearch_path%3Dreceipts`.
        """,
        .notWritable: """
        SQLite writes the file, those beside it that end in `-wal`, `-shm` and `-lock`, and their folder: the server's \
        user must own them (`chown --reference=FOLDER FILE`), and the file system must not be mounted read-only. With \
        PostgreSQL the code says which: 25006 is a standby or `default_transaction_read_only`, so name the primary, or \
        several hosts in the address, of which the one that accepts writes is used; 42501 is a role that doesn't own \
        the tables, so run the server as the role that created them, or `REASSIGN OWNED BY` the former one.
        """,
        .databaseUnreachable: """
        The message before the code is PostgreSQL's own. `Connection refused` or a timeout: the server doesn't run, or \
        `listen_addresses`, the port or a firewall excludes this machine. `no pg_hba.conf entry`: add the role, the \
        database and this machine's address to `pg_hba.conf`, and reload it. `password authentication failed`: see \
        `--database-password-file`. A certificate: set `sslrootcert` in the address, whose host the certificate must \
        name. `too many clients`: each server has up to seven connections, of which `max_connections` or a pooler \
        must have enough. A server that runs tries again by itself; its clients repeat their requests.
        """,
        .notDurable: """
        Only PostgreSQL has this error: an acknowledged refund could be lost when its machine fails. Compare `SHOW \
        fsync` and `SHOW synchronous_commit` in a session of the server's role: `ALTER ROLE`, `ALTER DATABASE` and \
        `options` in the address override `postgresql.conf`. Every value of `synchronous_commit` but `off` is \
        accepted. A pooler must pass the settings on.
        """,
    ]
    #else
    static let server: [Group] = []
    #endif
}
