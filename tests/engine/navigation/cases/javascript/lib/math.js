function sum(list) {
  return list.reduce((a, b) => a + b, 0);
//            ^ unresolved
}

exports.clamp = (x) => Math.max(0, x);
//                          ^ external

exports.mean = function (list) {
  return sum(list) / list.length;
//       ^ -> sum
};

exports.total = sum;
