public final class Order: Entity {
//                        ^ -> Sources/Core/Models.swift Entity
    struct Options {
        var limit: Int = 10
        static let standard = Options()
//                            ^ -> Order.Options
    }

    private var lines: [Line]
//                      ^ -> Sources/Core/Models.swift Line
    private var named: [String: Line] = [:]
    var status: Status = .open
//                        ^ -> Sources/Core/Models.swift Status.open
    var options = Options()
    weak var watcher: (any Watcher)?
//                         ^ -> Sources/Core/Watcher.swift Watcher
    lazy var counter: Counter = Counter()

    init(lines: [Line]) {
        self.lines = lines
//           ^ -> Order.lines
        super.init(id: 1)
//            ^ -> Sources/Core/Models.swift Entity.init
    }

    override func save() throws -> Bool {
        for line in lines {
            line.total().cents
//               ^ -> Sources/Core/Models.swift Line.total
//                       ^ -> Sources/Core/Models.swift Money.cents
        }
        guard let watcher = watcher else { return false }
        watcher.saved(self)
//              ^ -> Sources/Core/Watcher.swift Watcher.saved
        if let first = lines.first {
            first.total()
//                ^ -> Sources/Core/Models.swift Line.total
        }
        if let watcher {
            print(watcher)
        }
        named["a"]?.total()
//                  ^ -> Sources/Core/Models.swift Line.total
        lines[0].total()
//               ^ -> Sources/Core/Models.swift Line.total
        status.isOpen
//             ^ -> Sources/Core/Models.swift Status.isOpen
        options.limit
//              ^ -> Order.Options.limit
        describe()
//      ^ -> Sources/Core/Models.swift Named.describe, Sources/Core/Models.swift Named.describe
        reset()
//      ^ -> Sources/Core/Order+Reset.swift Order.reset
        secret()
//      ^ external
        print("x")
//      ^ external
        lines.forEach { $0.total() }
//                         ^ unresolved
        return try super.save()
//                       ^ -> Sources/Core/Models.swift Entity.save
    }

    subscript(index: Int) -> Line { lines[index] }
//                                  ^ -> Order.lines
}
