import AppReceiptKit

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Sends a request that names its environment to the client's environments in order, until one accepts the app and the identifier.
    ///
    /// - Parameters:
    ///   - ask: Sends the request.
    ///   - mayContinue: Whether the next environment may be asked after a failure. False once a part of the result was read.
    package func inFirstEnvironment<Value>(
        _ ask: (ReceiptEnvironment.Base) async throws(AppStoreServerError) -> Value,
        mayContinue: () -> Bool = { true }
    ) async throws(AppStoreServerError) -> Value {
        var previous: [AppStoreServerError] = []
        for environment in environments.dropLast() {
            do throws(AppStoreServerError) {
                return try await ask(environment)
            } catch {
                guard error.permitsNextEnvironment, mayContinue() else { throw error }
                previous.append(error)
            }
        }
        do throws(AppStoreServerError) {
            // The environments aren't empty.
            return try await ask(environments.last ?? .production)
        } catch {
            throw error.following(previous)
        }
    }
}
