public import AppReceiptKit
public import Foundation

/// The instant that RFC 3339 text names. Tests use fixed dates only.
public func instant(_ text: String) -> Date {
    guard let date = ReceiptDate.date(from: text) else { preconditionFailure("\(text) is no date") }
    return date
}

/// The error that `body` throws, nil if it throws none.
public func captured<Value>(_ body: () throws(ReceiptError) -> Value) -> ReceiptError? {
    do throws(ReceiptError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
