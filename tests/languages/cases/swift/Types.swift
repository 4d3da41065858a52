// == plain comment and imports
// Not documentation.
// <- comment
import Foundation
// <- import module="Foundation"
//     ^ ref import
@testable import struct Core.Money
// <- import module="Core.Money"

// == class with attributes, generics, bases and documentation
/// A session.
///
/// - Note: There is one.
@MainActor
 // <- ref decorator owner=Session
@objc(Sess)
 // <- ref decorator owner=Session
public final class Session<T: Hashable>: Base<T>, Core.Named, @unchecked Sendable where T: Codable {
//                 ^ def class vis=public sig="public final class Session<T: Hashable>: Base<T>, Core.Named, @unchecked Sendable where T: Codable"
//                         ^ none
//                            ^ ref type owner=Session
//                                       ^ ref inherit owner=Session
//                                                     ^ ref inherit owner=Session
//                                                                       ^ ref inherit owner=Session
//                                                                                         ^ ref type owner=Session

    // == stored properties and their visibility
    /// The one.
    public static let shared = Session()
    //                ^ def field scope=Session vis=public doc="The one." sig="public static let shared = Session()"
    //                         ^ ref instance owner=shared
    private(set) var count: Int = 0
    //               ^ def field scope=Session vis=internal sig="private(set) var count: Int = 0"
    public private(set) var seen = false
    //                      ^ def field scope=Session vis=public
    fileprivate weak var delegate: (any Delegate)?
    //                   ^ def field scope=Session vis=private
    //                                  ^ ref type owner=delegate
    lazy var cache: [String: Item] = [:]
    //       ^ def field scope=Session sig="lazy var cache: [String: Item] = [:]"
    //                       ^ ref type owner=cache
    @Published var items: [Item] = []
    //             ^ def field scope=Session sig="var items: [Item] = []"
    //^ none
    let a = 1, b: Int = 2
    //  ^ def field scope=Session
    //         ^ def field scope=Session

    // == observed and computed properties
    var watched: Int = 0 {
    //  ^ def field scope=Session sig="var watched: Int = 0" end=+2
        didSet { notify(oldValue) }
        //       ^ ref call owner=watched
    }
    var area: Double { width * 2 }
    //  ^ def property scope=Session sig="var area: Double"
    //                 ^ ref read owner=area
    open var full: String {
    //       ^ def property scope=Session vis=public
        get { name }
        set { name = newValue }
        //    ^ ref write owner=full
    }

    // == initialisers and deinitialiser
    init(name: String, count n: Int = 0) throws {
    // <- def method scope=Session sig="init(name: String, count n: Int = 0) throws"
        self.name = name
        //   ^ ref write owner=init recv="self"
        super.init(id: n)
        //    ^ ref call owner=init recv="super"
    }
    required convenience init?(coder: NSCoder) { return nil }
    //                   ^ def method scope=Session sig="required convenience init?(coder: NSCoder)"
    //                                ^ ref type owner=init
    deinit { close() }
    // <- def method scope=Session sig="deinit"
    //       ^ ref call owner=deinit

    // == methods: labels, inout, closures, async throws
    /** Runs it. */
    @discardableResult
    public func run<U>(_ x: Int, with y: inout Foo, then: @escaping (Int) async throws -> Void = { _ in }) async throws -> Result<U, Error> where U: Foo {
    //          ^ def method scope=Session vis=public doc="Runs it." sig="public func run<U>(_ x: Int, with y: inout Foo, then: @escaping (Int) async throws -> Void = { _ in }) async throws -> Result<U, Error> where U: Foo"
    //                 ^ none
    //                           ^ none
    //                                         ^ ref type owner=run
    //                                                                                                                     ^ ref type owner=run
        .failure(x)
        //^ none
    }
    class func make() -> Self { Self() }
    //         ^ def method scope=Session sig="class func make() -> Self"
    //                          ^ none

    // == operators and subscripts
    static func == (left: Session, right: Session) -> Bool { true }
    //          ^ def method scope=Session sig="static func == (left: Session, right: Session) -> Bool"
    subscript(key: String) -> Item? { cache[key] }
    // <- def property scope=Session sig="subscript(key: String) -> Item?"
    //                                ^ ref read owner=subscript
}

// == struct and nested types
public struct Point: Equatable {
//            ^ def struct vis=public
    var x: Int
    //  ^ def field scope=Point vis=internal
    struct Inner {
    //     ^ def struct scope=Point
        func go() {}
        //   ^ def method scope=Point.Inner
    }
}

// == enum with cases, raw values and payloads
public indirect enum Shape: String, CaseIterable {
//                   ^ def enum vis=public sig="public indirect enum Shape: String, CaseIterable"
//                          ^ ref inherit owner=Shape
    case one = "1", two
    //   ^ def field scope=Shape vis=public sig="case one = \"1\", two"
    //              ^ def field scope=Shape vis=public
    /// Both.
    case pair(Shape, name: String)
    //   ^ def field scope=Shape doc="Both." sig="case pair(Shape, name: String)"
    //        ^ ref type owner=pair
    //               ^ none
    var isOne: Bool { self == .one }
    //  ^ def property scope=Shape vis=internal
    //                         ^ ref read owner=isOne recv="?"
    static let first: Shape = .one
    //         ^ def field scope=Shape
    //                         ^ ref read owner=first recv="Shape"
}
private enum Hidden { case only }
//           ^ def enum vis=private
//                         ^ def field scope=Hidden vis=private

// == actor
actor Store {
//    ^ def class sig="actor Store"
    nonisolated let id: Int
    //              ^ def field scope=Store
}

// == protocol with requirements and associated type
public protocol Delegate: AnyObject {
//              ^ def interface vis=public
//                        ^ ref inherit owner=Delegate
    associatedtype Item: Hashable
    //             ^ def type scope=Delegate
    var name: String { get set }
    //  ^ def property scope=Delegate vis=public sig="var name: String { get set }"
    func done(_ item: Item) async throws -> Bool
    //   ^ def method scope=Delegate vis=public sig="func done(_ item: Item) async throws -> Bool"
    init(name: String)
    // <- def method scope=Delegate
    static func make() -> Self
    //          ^ def method scope=Delegate
}

// == extensions: plain, public, of nested and generic types
extension Point: Delegate, CustomStringConvertible {
//        ^ def impl vis=internal sig="extension Point: Delegate, CustomStringConvertible"
//               ^ ref inherit owner=Point
    var description: String { "p" }
    //  ^ def property scope=Point vis=internal
}
public extension Point.Inner {
//                     ^ def impl scope=Point vis=public
    func more() {}
    //   ^ def method scope=Point.Inner vis=public
    private func less() {}
    //           ^ def method scope=Point.Inner vis=private
}
extension Array where Element == Point {
//        ^ def impl
//                    ^ none
//                               ^ ref type
    struct Kept {}
    //     ^ def struct scope=Array
}

// == aliases, operators, precedence and macros
typealias Handler<T> = (T) -> Void
//        ^ def type sig="typealias Handler<T> = (T) -> Void"
infix operator +++: AdditionPrecedence
func +++ (a: Int, b: Int) -> Int { a + b }
//   ^ def fn sig="func +++ (a: Int, b: Int) -> Int"
macro stringify(_ x: Int) -> String = #externalMacro(module: "M", type: "T")
//    ^ def macro

// == names in backticks
enum Words { case `default`, `in` }
//   ^ def enum
//                 ^ def field scope=Words
//                            ^ def field scope=Words
