// == definitions around broken syntax
function before() { return 1; }
//       ^ def fn vis=internal sig="function before()"

function broken(value) {
//       ^ def fn vis=internal sig="function broken(value)" end=+3
  const x = = value;
  return ) x;
}
// == facts after the break
class After extends Base {
//    ^ def class vis=internal sig="class After extends Base" end=+2
//                  ^ ref inherit owner=After
  run(value) { return call(value); }
//^ def method scope=After vis=public sig="run(value)"
//                    ^ ref call owner=run
}
