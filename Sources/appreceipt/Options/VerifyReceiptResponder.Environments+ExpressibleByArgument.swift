public import ArgumentParser
public import VerifyReceipt

extension VerifyReceiptResponder.Environments: ExpressibleByArgument {}
