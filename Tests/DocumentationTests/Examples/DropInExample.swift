import AppReceiptValidator

func isGenuine() -> Bool {
    let parameters = AppReceiptValidator.Parameters.default.with {
        $0.propertyValidations = [.string(\.bundleIdentifier, expected: "com.example.app")]
    }
    switch AppReceiptValidator().validateReceipt(parameters: parameters) {
    case .success(let receipt, receiptData: _, deviceIdentifier: _):
        return receipt.bundleIdentifier != nil
    case .error(let error, receiptData: _, deviceIdentifier: _):
        print(error)
        return false
    }
}
