import ArgumentParser

/// The input of a subcommand that reads one receipt or token.
struct InputArgument: ParsableArguments {
    @Argument(
        help: "A receipt or token: a file, an .app bundle, - for standard input, or the data itself.",
        completion: .file())
    var input: String

    @OptionGroup
    var single: SingleInput
}

/// Explains which subcommands read several inputs, for those that read one. Declared after their argument.
struct SingleInput: ParsableArguments {
    @Argument(help: .hidden)
    var others: [String] = []

    func validate() throws {
        guard let other = others.first else { return }
        throw ValidationError(
            "Unexpected argument '\(Terminal.truncated(other))': this subcommand reads one input. "
                + "'appreceipt purchases' reads several of one customer, and 'appreceipt batch' validates one per line."
        )
    }
}
