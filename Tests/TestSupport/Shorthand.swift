public import AppReceiptKit
public import Foundation

/// Returns the date of RFC 3339 text. Tests use only fixed dates.
public func instant(_ text: String) -> Date {
    guard let date = ReceiptDate.date(from: text) else { preconditionFailure("\(text) isn't a date") }
    return date
}

/// Returns the error that `body` throws, nil if it returns.
public func captured<Value>(_ body: () throws(ReceiptError) -> Value) -> ReceiptError? {
    do throws(ReceiptError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
