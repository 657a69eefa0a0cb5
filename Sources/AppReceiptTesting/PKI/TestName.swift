/// A distinguished name with the attributes of Apple's certificates.
public struct TestName: Sendable, Hashable {
    /// The common name (CN).
    public var commonName: String
    /// The organizational unit (OU).
    public var organizationalUnit: String
    /// The organization (O).
    public var organization: String
    /// The two-letter country code (C).
    public var country: String

    /// Creates a name. The defaults identify it as a test name.
    public init(
        _ commonName: String, organizationalUnit: String = "Testing", organization: String = "AppReceiptTesting",
        country: String = "US"
    ) {
        self.commonName = commonName
        self.organizationalUnit = organizationalUnit
        self.organization = organization
        self.country = country
    }

    /// The name as DER.
    public var der: [UInt8] {
        let parts = [
            ("2.5.4.6", DERWriter.printableString(country)), ("2.5.4.10", DERWriter.utf8String(organization)),
            ("2.5.4.11", DERWriter.utf8String(organizationalUnit)), ("2.5.4.3", DERWriter.utf8String(commonName)),
        ]
        return DERWriter.sequence(
            parts.map { identifier, text in
                DERWriter.set([DERWriter.sequence([DERWriter.objectIdentifier(identifier), text])])
            })
    }
}
