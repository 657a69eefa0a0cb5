import AppReceiptSupport
import AppReceiptTesting
import AppReceiptValidator
import Foundation
import Testing

@Suite("AppReceiptValidator.Parameters.RootCertificateOrigin")
struct RootCertificateOriginTests {
    @Test("The bundled root has the fingerprint that Apple publishes")
    func bundled() throws {
        let origin = AppReceiptValidator.Parameters.RootCertificateOrigin.cerFileBundledWithAppReceiptValidator
        let root = try #require(origin.loadData())
        let digest = TestDigest.sha256.digest(of: Array(root)).hexadecimal()
        #expect(digest == "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024")
    }

    @Test("A given root is returned unchanged")
    func given() {
        #expect(AppReceiptValidator.Parameters.RootCertificateOrigin.data(Data([1])).loadData() == Data([1]))
    }
}
