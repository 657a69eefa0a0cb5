#if Server
import Logging

extension Logger {
    /// Logs an error of the server that nothing else explains: its type, because it may contain parts of a request.
    func internalError(_ failure: any Error) {
        error("Internal error", metadata: ["type": "\(type(of: failure))"])
    }
}
#endif
