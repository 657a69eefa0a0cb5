#if !Server
import Testing

/// A command line that was built without the trait Server says how to get one with it.
@Suite struct ServeTests {
    @Test(
        "serve without the server ends with 64 and says how to build it, whatever it is asked with",
        arguments: [[], ["--port", "8080"], ["--database", "state.sqlite", "--no-inspector"], ["moon"]])
    func withoutTheServer(_ arguments: [String]) throws {
        let result = try Tool.run(["serve"] + arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("swift build -c release --traits Server --product appreceipt"))
    }

    @Test("serve --help says the same, and is no error")
    func help() throws {
        let result = try Tool.run("serve", "--help")
        #expect(result.status == 0)
        #expect(result.output.contains("swift run --traits Server appreceipt serve"))
    }
}
#endif
