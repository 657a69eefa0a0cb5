import ArgumentParser

/// Explains which subcommands read several inputs, for those that read one. Declared after their argument.
struct SingleInput: ParsableArguments {
    @Argument(help: .hidden)
    var others: [String] = []

    func validate() throws {
        guard let other = others.first else { return }
        throw ValidationError(
            "Unexpected argument '\(Terminal.truncated(other))': this subcommand reads one input. 'appreceipt purchases' "
                + "reads several of one customer, and 'appreceipt batch' validates one per line.")
    }
}
