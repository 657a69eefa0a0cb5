public import AppStoreSignedData
public import ArgumentParser

extension SignedDataKind: ExpressibleByArgument {}
