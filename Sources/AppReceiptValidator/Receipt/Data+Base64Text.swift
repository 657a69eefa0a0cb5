import Foundation

extension Data {
    init?(base64 text: String?) {
        guard let text else { return nil }
        self.init(base64Encoded: text)
    }
}
