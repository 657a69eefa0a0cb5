import CoreTransferable
import Foundation
import ReceiptViewerModel

/// What can be dropped or pasted: a file or text.
enum DroppedItem: Transferable {
    case file(URL)
    case text(String)

    // The file is first, because the Finder also offers its name as text.
    static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(importing: { (url: URL) in DroppedItem.file(url) })
        ProxyRepresentation(importing: { (text: String) in DroppedItem.text(text) })
    }
}

extension ReceiptViewer {
    /// Shows the first of the dropped items.
    ///
    /// - Returns: Whether there is one.
    func show(_ items: [DroppedItem]) -> Bool {
        switch items.first {
        case .file(let url): open(url)
        case .text(let text): show(text)
        case nil: return false
        }
        return true
    }
}
