#if canImport(UIKit) && !os(watchOS)
import UIKit

final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        _ = License.shared
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { License.shared.validate() }
}
#endif
