import AppReceiptKit
import AppReceiptValidator
import Foundation
import TestSupport
import Testing

@Suite("AppReceiptValidator.Parameters.ReceiptOrigin")
struct ReceiptOriginTests {
    typealias Origin = AppReceiptValidator.Parameters.ReceiptOrigin

    @Test("Data is returned unchanged, and a function is called each time")
    func loads() {
        #expect(Origin.data(Data([1])).loadData() == Data([1]))
        var count: UInt8 = 0
        let origin = Origin.dynamic {
            count += 1
            return Data([count])
        }
        #expect(origin.loadData() == Data([1]))
        #expect(origin.loadData() == Data([2]))
        #expect(Origin.dynamic { nil }.loadData() == nil)
    }

    @Test("An empty file is an empty receipt, and a missing file is nil")
    func location() throws {
        try TestDirectories.withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("receipt")
            #expect(Origin.data(at: ReceiptLocation(file)) == nil)
            try file.write([])
            #expect(Origin.data(at: ReceiptLocation(file)) == Data())
            try file.write([1, 2])
            #expect(Origin.data(at: ReceiptLocation(file)) == Data([1, 2]))
        }
    }

    @Test("The main bundle of a test has no receipt")
    func mainBundle() {
        #expect(Origin.installedInMainBundle.loadData() == nil)
        #expect(AppReceiptValidator().validateReceipt().error == .couldNotFindReceipt)
        #expect(throws: AppReceiptValidator.Error.couldNotFindReceipt) {
            try AppReceiptValidator().parseReceipt(origin: .installedInMainBundle)
        }
    }
}
