public import AppReceiptKit
public import ArgumentParser

extension ReceiptEnvironment.Base: ExpressibleByArgument {}
