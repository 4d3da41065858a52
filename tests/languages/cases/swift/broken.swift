// == what stands before a mistake is found
struct Whole {
//     ^ def struct
    var part: Int
    //  ^ def field scope=Whole
    func fine() -> Int { part }
    //   ^ def method scope=Whole
    //                   ^ ref read owner=fine
}

// == what stands behind a mistake is found
let odd = = 3
//  ^ def const

func after() -> Int {
//   ^ def fn
    return help(1)
    //     ^ ref call owner=after
}

protocol Kept {
//       ^ def interface
    func kept()
    //   ^ def method scope=Kept
}
