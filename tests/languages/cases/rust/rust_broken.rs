// == definitions around broken syntax survive
pub fn before() -> Item { make() }
//     ^ def fn vis=public
//                        ^ ref call owner=before

fn bad( { let = ; }
// ^ def fn sig="fn bad("

pub struct After { field: u8 }
//         ^ def struct vis=public
//                 ^ def field scope=After

// == a broken member leaves the others
impl After {
//   ^ def impl
    fn first(&self) { let x = ; }
//     ^ def method scope=After
//                        ^ none
    fn last(&self) { call_me(); }
//     ^ def method scope=After
//                   ^ ref call owner=last
}
