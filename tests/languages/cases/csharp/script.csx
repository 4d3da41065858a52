// == script with top-level statements
int Twice(int value) => value * 2;
//  ^ def fn vis=internal sig="int Twice(int value)"
var total = Twice(4);
//          ^ ref call
