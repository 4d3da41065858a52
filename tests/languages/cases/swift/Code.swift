import Foundation

// == globals
/// The most.
public let most = 12
//         ^ def const vis=public doc="The most." sig="public let most = 12"
fileprivate var counter: Int = 0
//              ^ def var vis=private
var half: Int { most / 2 }
//  ^ def property sig="var half: Int"
//              ^ ref read owner=half
let (left, right) = both()
//   ^ def var
//         ^ def var

// == functions, variadic and nested
func outer(_ values: Int...) -> Int {
//   ^ def fn vis=internal sig="func outer(_ values: Int...) -> Int"
    func inner(a: Int) -> Int { a }
    //   ^ def fn scope=outer
    return inner(a: 1)
    //     ^ ref call owner=outer
    //           ^ none
}

// == calls, chains and optional chaining
func calls(thing: Thing, other: Thing?) {
//   ^ def fn
    thing.make(1).name.trim()
    //    ^ ref call owner=calls recv="thing"
    //            ^ ref read recv="thing.make()"
    //                 ^ ref call recv="thing.make().name"
    other?.make()?.name
    //     ^ ref call recv="other"
    //             ^ ref read recv="other.make()"
    other!.parts[0].go()
    //     ^ ref read recv="other"
    //              ^ ref call recv="other!.parts[]"
    Thing.shared.go()
//  ^ ref type
    //    ^ ref read recv="Thing"
    //           ^ ref call recv="Thing.shared"
    Outer.Inner(x: 1)
    //    ^ ref instance recv="Outer"
    Box<Int>()
//  ^ ref instance
    //  ^ ref type
    thing.each { $0.go() }
    //    ^ ref call recv="thing"
    //              ^ ref call recv="$0"
    let path = \Thing.name
    //          ^ ref type
    //                ^ ref read
}

// == writes
func writes(thing: Thing) {
//   ^ def fn
    counter = 1
//  ^ ref write
    counter += 2
//  ^ ref write
    thing.name = "x"
    //    ^ ref write recv="thing"
    thing.parts[0] = 1
    //    ^ ref read recv="thing"
    _ = counter
//  ^ none
    //  ^ ref read
}

// == optional bindings
func bindings(thing: Thing?) {
//   ^ def fn
    guard let made = thing?.make(), var other = made.other else { return }
    //        ^ none
    //                      ^ ref call recv="thing"
    //                                               ^ ref read recv="made"
    if let made { made.go() }
    //                 ^ ref call recv="made"
    if let x = source as? Thing { x.go() }
    //                    ^ ref type
    //                              ^ ref call recv="x"
    while let next = queue.pop() { next.go() }
    //                     ^ ref call recv="queue"
    //                                  ^ ref call recv="next"
}

// == switch and patterns
func patterns(state: State) {
//   ^ def fn
    switch state {
    //     ^ none
    case .idle, .busy(let job): job.go()
    //    ^ ref read recv="?"
    //           ^ ref read recv="?"
    //                              ^ ref call recv="job"
    case let .failed(error, code): report(error, code)
    //                                    ^ none
    //        ^ ref read recv="?"
    case is Special: break
    //      ^ ref type
    default: break
    }
    if case .some(let value) = state.extra { use(value) }
    //       ^ ref read recv="?"
    //                               ^ ref read recv="state"
    let fallback = state ?? .idle
    //                       ^ ref read recv="?"
}

// == errors
func fails() throws {
//   ^ def fn
    do {
        try load()
        //  ^ ref call owner=fails
        throw NetError.lost(1)
        //    ^ ref throw
        //             ^ ref call recv="NetError"
    } catch let error as NetError {
        //               ^ ref type
        throw Failure(error)
        //    ^ ref throw
    } catch {
        print(error)
//      ^ ref call
    }
    defer { close() }
//  ^ none
    //      ^ ref call
}

// == async code
func later() async -> Int {
//   ^ def fn sig="func later() async -> Int"
    async let first = fetch(1)
    //                ^ ref call
    for await item in stream { item.go() }
    //                              ^ ref call recv="item"
    return await first.value
    //                 ^ ref read recv="first"
}

// == closures with captures and parameters
func closures(items: [Thing]) {
//   ^ def fn
    let each: (Thing) -> Int = { [weak self] (thing: Thing) -> Int in
    //         ^ ref type
        //                             ^ none
        return self?.count ?? thing.size
        //           ^ ref read recv="self"
        //                          ^ ref read recv="thing"
    }
    items.forEach { item in item.go() }
    //                           ^ ref call recv="item"
}

// == interpolation
func text(thing: Thing) -> String { "is \(counter) and \(thing.name)" }
//   ^ def fn
//                                        ^ ref read
//                                                             ^ ref read recv="thing"

// == availability, attributes and conditions
@available(iOS 13, *)
func newer() {
//   ^ def fn sig="func newer()"
    if #available(iOS 14, *), counter > 0 { go() }
    //                        ^ ref read
    //                                      ^ ref call
}

// == what the grammar alone cannot read
struct Options {
//     ^ def struct
    @Option() var name: String
    //            ^ def field scope=Options
    func done() -> Result<Void, Error> { .success(()) }
    //   ^ def method scope=Options
    #if DEBUG
    func debug() throws(Failure) {}
    //   ^ def method scope=Options
    #endif
}
