#if Server
/// A connection, a request or memory that ``Admission`` has admitted. It is released with its last reference.
@available(AppReceiptServer 1.0, *)
final class Reservation: Sendable {
    private let amount: Int
    private let resource: AdmissionLoad.Resource
    private let admission: Admission

    init(_ amount: Int, of resource: AdmissionLoad.Resource, from admission: Admission) {
        self.amount = amount
        self.resource = resource
        self.admission = admission
    }

    deinit { admission.release(amount, of: resource) }
}
#endif
