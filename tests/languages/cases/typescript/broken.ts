// == definitions around broken syntax
export function before(): number { return 1; }
//              ^ def fn vis=public sig="export function before(): number"

function broken(value: ) {
//       ^ def fn vis=internal sig="function broken(value: )" end=+2
  const x = = value;
}
// == facts after the break
class After implements Runnable {
//    ^ def class vis=internal sig="class After implements Runnable" end=+2
//                     ^ ref inherit owner=After
  private run(value: Input): void { call(value); }
//        ^ def method scope=After vis=private sig="private run(value: Input): void"
//                   ^ ref type owner=run
//                                  ^ ref call owner=run
}
