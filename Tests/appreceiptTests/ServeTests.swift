#if !Server
import Testing

/// Without the trait Server, the command explains how to install it with the trait.
@Suite("appreceipt serve")
struct ServeTests {
    @Test(
        "Without the server, serve ends with 64 and explains how to install it, with any arguments",
        arguments: [[], ["--port", "8080"], ["--database", "state.sqlite", "--no-inspector"], ["moon"]])
    func withoutTheServer(_ arguments: [String]) throws {
        let result = try CommandLineTool.run(["serve"] + arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("scripts/install-command.sh --traits Server"))
    }

    @Test("The help of serve explains the trait too, and succeeds")
    func help() throws {
        let result = try CommandLineTool.run("serve", "--help")
        #expect(result.status == 0)
        #expect(result.output.contains("swift run --traits Server appreceipt serve"))
    }
}
#endif
