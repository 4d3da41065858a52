@testable import Core
import XCTest

private struct Failure {
    var code = 1
}

final class OrderTests: XCTestCase {
//                      ^ external
    func testSave() throws {
        let order = Order(lines: [])
        XCTAssertTrue(try order.save())
//                              ^ -> Sources/Core/Order.swift Order.save
        Failure().code
//      ^ -> Failure
//                ^ -> Failure.code
    }
}
