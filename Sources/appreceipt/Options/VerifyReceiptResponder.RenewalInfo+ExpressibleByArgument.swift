public import ArgumentParser
public import VerifyReceipt

extension VerifyReceiptResponder.RenewalInfo: ExpressibleByArgument {}
