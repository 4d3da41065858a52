'use strict';
// == exports of functions and values
exports.load = function (path) { return path; };
//      ^ def fn vis=public sig="exports.load = function (path)"
exports.VERSION = "1.0";
//      ^ def const vis=public sig="exports.VERSION = \"1.0\""
module.exports.save = async (path) => { write(path); };
//             ^ def fn vis=public sig="module.exports.save = async (path)"
//                                      ^ ref call owner=save
exports.Reader = class { read() {} };
//      ^ def class vis=public sig="exports.Reader = class"
//                       ^ def method scope=Reader vis=public sig="read()"
// == exported by name later
function helper() {}
//       ^ def fn vis=public sig="function helper()"
function secret() {}
//       ^ def fn vis=internal sig="function secret()"
class Tool {}
//    ^ def class vis=public sig="class Tool"
exports.helper = helper;
//      ^ ref write owner="" recv="exports"
module.exports = { Tool, other: helper, inline() {} };
//     ^ ref write owner="" recv="module"
//                                      ^ def method vis=public sig="inline()"
// == immediately called function
(function ($) {
  var inside = 1;
  function plugin() { $.fn(inside); }
//         ^ def fn vis=internal sig="function plugin()"
//                      ^ ref call owner=plugin recv="$"
})(jQuery);
