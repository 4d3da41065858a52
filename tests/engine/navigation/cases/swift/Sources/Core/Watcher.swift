public protocol Watcher: AnyObject {
    func saved(_ order: Order)
//                      ^ -> Sources/Core/Order.swift Order
}

extension Watcher {
    func quiet() {}
}
