#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser
import VerifyReceipt

@available(AppReceiptServer 1.0, *)
extension Settings {
    /// Returns the apps: those of `apps`, or one for each `bundle-id`.
    ///
    /// - Parameter hosts: The hosts to which webhooks may be sent although they aren't public.
    func apps(allowingWebhookHosts hosts: Set<String>) throws -> [AppConfiguration] {
        guard let objects = objects["apps"] else { return try appsOfOptions() }
        if let other = ["bundle-id", "app-apple-id"].first(where: { all($0) != nil }) {
            throw invalid(other, message: "Set it in 'apps', or leave 'apps' out.")
        }
        let apps = try objects.map { try app($0, allowingWebhookHosts: hosts) }
        for (index, app) in apps.enumerated() where apps[..<index].app(named: app.bundleIdentifier) != nil {
            throw objects[index].invalid("bundle-id", "Another object of 'apps' has the same app.")
        }
        return apps
    }

    private func appsOfOptions() throws -> [AppConfiguration] {
        let identifiers = Set(all("bundle-id")?.texts ?? [])
        if identifiers.contains("") { throw invalid("bundle-id", message: "It must not be empty.") }
        if identifiers.contains(where: { !Self.isBundleIdentifier($0) }) {
            throw invalid(
                "bundle-id",
                message:
                    "Expected one bundle identifier, in ASCII. Repeat the option for several, or list them in the file."
            )
        }
        var apps = identifiers.sorted().map { AppConfiguration(bundleIdentifier: $0) }
        if let number = text("app-apple-id") {
            guard let identifier = Self.appStoreIdentifier(number) else {
                throw invalid("app-apple-id", message: "Expected the app's App Store identifier, a number.")
            }
            guard apps.count == 1 else { throw invalid("app-apple-id", message: "Requires exactly one --bundle-id.") }
            apps[0].appAppleIdentifier = identifier
        }
        return apps
    }

    private func app(
        _ object: SettingsObject, allowingWebhookHosts hosts: Set<String>
    ) throws -> AppConfiguration {
        try object.check(names: Self.appNames)
        var app = AppConfiguration(bundleIdentifier: try object.required("bundle-id"))
        guard Self.isBundleIdentifier(app.bundleIdentifier) else {
            throw object.invalid("bundle-id", "Expected a bundle identifier, in ASCII.")
        }
        if let number = try object.text("app-apple-id") {
            guard let identifier = Self.appStoreIdentifier(number) else {
                throw object.invalid("app-apple-id", "Expected the app's App Store identifier, a number.")
            }
            app.appAppleIdentifier = identifier
        }
        app.environments = try Self.environments(try object.texts("environment")) { object.invalid("environment", $0) }
        app.sharedSecrets = try object.texts("shared-secret-file").map { file in
            SharedSecret(try SecretInput.secret(inFile: file, source: object.source + ".shared-secret-file"))
        }
        app.storeKey = try storeKey(object)
        app.productNames = try object.textsByName("products")
        for webhook in try object.objects("webhooks") {
            let added = try self.webhook(webhook, allowingHosts: hosts)
            guard !app.webhooks.contains(where: { $0.url == added.url }) else {
                throw webhook.invalid("url", "Another webhook of this app has the same address.")
            }
            app.webhooks.append(added)
        }
        return app
    }

    private func webhook(
        _ object: SettingsObject, allowingHosts hosts: Set<String>
    ) throws -> WebhookConfiguration {
        try object.check(names: ["url", "secret-file", "format", "forward-notifications"])
        let url = try object.required("url")
        if let problem = WebhookConfiguration.problem(with: url, allowing: hosts) {
            throw object.invalid("url", problem)
        }
        guard let format = WebhookConfiguration.Format(rawValue: try object.required("format")) else {
            throw object.invalid("format", "Expected openiap or standard.")
        }
        let secrets = try object.required(anyOf: "secret-file").map { file in
            WebhookConfiguration.Secret(
                try SecretInput.secret(inFile: file, source: object.source + ".secret-file"))
        }
        guard secrets.allSatisfy({ $0.isUsable(for: format) }) else {
            throw object.invalid(
                "secret-file",
                format == .standard
                    ? "Expected whsec_ and the base64 of 24 to 64 random bytes." : "Expected at least 32 characters.")
        }
        return WebhookConfiguration(
            url: url, secrets: secrets, format: format, forwardsNotifications: try object.flag("forward-notifications"))
    }

    private func storeKey(_ object: SettingsObject) throws -> AppStoreServerKey? {
        let names = ["store-key", "store-key-id", "store-issuer-id"]
        let values = try names.map { try object.text($0) }
        guard let isSet = values.firstIndex(where: { $0 != nil }) else { return nil }
        guard let file = values[0], let identifier = values[1], let issuer = values[2] else {
            throw object.invalid(names[isSet], "Requires 'store-key', 'store-key-id' and 'store-issuer-id' together.")
        }
        return try key(
            inFile: file, identifier: identifier, issuer: issuer, source: object.source + ".store-key"
        ) { object.invalid($0, $1) }
    }

    /// Returns the tokens: those of `tokens`, and the one of `token-file`, which may do everything.
    ///
    /// - Parameter apps: The apps that are served; empty for any.
    func tokens(of apps: [AppConfiguration]) throws -> [AccessToken] {
        var tokens = try secret("token").map { [AccessToken($0)] } ?? []
        for object in objects["tokens"] ?? [] {
            try object.check(names: ["name", "role", "token-file", "apps"])
            let file = try object.required("token-file")
            guard let role = AccessToken.Role(rawValue: try object.required("role")) else {
                throw object.invalid("role", "Expected verify, read, support or admin.")
            }
            let name = try object.required("name")
            guard !tokens.contains(where: { $0.name == name }) else {
                throw object.invalid("name", "Another token has the same name.")
            }
            let secret = try SecretInput.secret(inFile: file, source: object.source + ".token-file")
            guard !tokens.contains(where: { $0.secret.matches(secret) }) else {
                throw object.invalid("token-file", "Another token has the same secret.")
            }
            let own = try object.texts("apps")
            guard apps.isEmpty || own.allSatisfy({ apps.app(named: $0) != nil }) else {
                throw object.invalid("apps", "Expected bundle identifiers of the apps that are served.")
            }
            tokens.append(
                AccessToken(
                    SharedSecret(secret), name: name, role: role, apps: own.isEmpty ? .anyBundle : .only(own)))
        }
        return tokens
    }

    /// Returns the environments with these names; nil if there are none.
    ///
    /// - Parameters:
    ///   - names: The names.
    ///   - invalid: Returns the error about an unknown name.
    static func environments(
        _ names: [String], invalid: (_ message: String) -> ExitCode
    ) throws -> Set<AppStoreEnvironment>? {
        guard !names.isEmpty else { return nil }
        let option = ExpectationOption.environments
        var expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        guard option.set(names, in: &expectations) else { throw invalid("Expected \(option.form).") }
        return expectations.environments.values.map { Set($0) }
    }

    /// The paths of the files with keys and other secrets. What is malformed is left out.
    var secretFiles: [String] {
        let options = ["store-key", "token-file", "shared-secret-file", "database-password-file"].compactMap {
            text($0)
        }
        func files(_ name: String, in objects: [SettingsObject]?) -> [String] {
            (objects ?? []).flatMap { (try? $0.texts(name)) ?? [] }
        }
        let apps = objects["apps"] ?? []
        let webhooks = apps.flatMap { (try? $0.objects("webhooks")) ?? [] }
        return options + files("store-key", in: apps) + files("shared-secret-file", in: apps)
            + files("secret-file", in: webhooks) + files("token-file", in: objects["tokens"])
    }

    /// Returns whether a text may be a bundle identifier, which Apple writes in ASCII.
    private static func isBundleIdentifier(_ text: String) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "!")...UInt8(ascii: "~")).contains($0) && $0 != UInt8(ascii: ",") }
    }

    private static func appStoreIdentifier(_ text: String) -> UInt64? {
        UInt64(text).flatMap { $0 > 0 && $0 <= Int64.max ? $0 : nil }
    }
}
#endif
