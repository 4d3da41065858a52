// == library
library shop.core;
// == imports, with prefix, shown names, hidden names
import 'dart:io';
// <- import module=dart:io
import 'package:http/http.dart' as http;
// <- import module=package:http/http.dart alias=http
//                                 ^ none
import 'src/price.dart' show Price, Tax hide Money;
// <- import module=src/price.dart name=Price
// <- import module=src/price.dart name=Tax
//                           ^ ref import
//                                  ^ ref import
//                                           ^ none
import 'src/lazy.dart' deferred as lazy;
// <- import module=src/lazy.dart alias=lazy
// == exports and parts
export 'src/item.dart' show Item;
// <- import module=src/item.dart name=Item
part 'shop.g.dart';
// <- import module=shop.g.dart
// == class with documentation, annotation and all kinds of parents
/// Holds things.
// <- doc
@immutable
abstract class Cart<T extends Item> extends http.Base<T> with Logging, Timing implements Comparable<T> {
//             ^ def class vis=public sig="abstract class Cart<T extends Item> extends http.Base<T> with Logging, Timing implements Comparable<T>" doc="Holds things." end=+40
//                            ^ ref type owner=Cart
//                                               ^ ref inherit owner=Cart recv=http
//                                                            ^ ref inherit owner=Cart
//                                                                     ^ ref inherit owner=Cart
//                                                                                       ^ ref inherit owner=Cart
  // == fields
  static const int limit = 3;
//                 ^ def field scope=Cart vis=public sig="static const int limit = 3"
  final String name;
//             ^ def field scope=Cart vis=public sig="final String name"
  late Price? _price, other;
//            ^ def field scope=Cart vis=private sig="late Price? _price, other"
//                    ^ def field scope=Cart vis=public
  void Function(int)? onChange;
//                    ^ def field scope=Cart vis=public
  @Deprecated('soon') Price? best;
// ^ ref decorator owner=Cart
//                    ^ ref type owner=best
//                           ^ def field scope=Cart vis=public sig="Price? best"
  // == constructors: plain, named, constant, factory
  Cart(this.name, {required int count}) : _price = Price(count), super();
//^ def method scope=Cart vis=public sig="Cart(this.name, {required int count})"
//          ^ ref read owner=Cart recv=this
//                                        ^ ref write owner=Cart
//                                                 ^ ref instance owner=Cart
  Cart.empty() {
//     ^ def method scope=Cart vis=public sig="Cart.empty()" end=+2
    clear();
//  ^ ref call owner=empty
  }
  const Cart._(this.name);
//           ^ def method scope=Cart vis=private sig="const Cart._(this.name)"
  factory Cart.from(Map<String, Object> map) => Cart('x', count: 1);
//             ^ def method scope=Cart vis=public sig="factory Cart.from(Map<String, Object> map)"
//                                              ^ ref instance owner=from
  // == getters and setters
  /// What it costs.
  int get total => _price!.amount;
//        ^ def property scope=Cart vis=public sig="int get total" doc="What it costs."
//                 ^ ref read owner=total
//                         ^ ref read owner=total recv=_price
  set total(int value) {
//    ^ def property scope=Cart vis=public sig="set total(int value)" end=+2
    _price = Price(value);
//  ^ ref write owner=total
//                 ^ none
  }
  // == method with annotation, generics and optional parameters
  /// Runs it.
  @override
  Future<List<T>> run(int times, [String? note]) async {
//                ^ def method scope=Cart vis=public sig="Future<List<T>> run(int times, [String? note])" doc="Runs it." end=+16
    var local = new Price(1);
//                  ^ ref instance owner=run
    final client = http.Client();
//                      ^ ref instance owner=run recv=http
    client.get(note!).close();
//         ^ ref call owner=run recv="client"
//                    ^ ref call owner=run recv="client.get()"
    for (final item in items) {
      print(item.name);
//    ^ ref call owner=run
//               ^ ref read owner=run recv="item"
    }
    try {
      throw StateError('no');
//          ^ ref throw owner=run
    } on FormatException catch (error) {
//       ^ ref type owner=run
      this.onChange = null;
//         ^ ref write owner=run recv=this
      limit++;
//    ^ ref write owner=run
    }
    Price.parse('1')..add(2)..amount = 3;
//  ^ ref type owner=run
//        ^ ref call owner=run recv=Price
//                    ^ ref call owner=run
//                            ^ ref write owner=run
    const Price.zero();
//        ^ ref instance owner=run
//              ^ ref call owner=run recv=Price
    return helper<T>(times, named: local);
//         ^ ref call owner=run
//                          ^ none
  }
  // == abstract and static members, operators
  void clear();
//     ^ def method scope=Cart vis=public sig="void clear()"
  static void reset() {}
//            ^ def method scope=Cart vis=public sig="static void reset()"
  bool operator ==(Object other) => true;
//              ^ def method scope=Cart vis=public sig="bool operator ==(Object other)"
  T operator [](int index) => items[index];
//           ^ def method scope=Cart vis=public sig="T operator [](int index)"
}
// == mixins
mixin Logging on Base {
//    ^ def trait vis=public sig="mixin Logging on Base" end=+2
//               ^ ref inherit owner=Logging
  void log(String text) => print(text);
//     ^ def method scope=Logging vis=public
}
class Mixed = Base with Logging;
//    ^ def class vis=public sig="class Mixed = Base with Logging"
//            ^ ref inherit owner=Mixed
//                      ^ ref inherit owner=Mixed
// == extensions
extension Words on String {
//        ^ def impl vis=public sig="extension Words on String" end=+2
  int get words => split(' ').length;
//        ^ def property scope=Words vis=public
//                 ^ ref call owner=words
}
extension on Price {
//           ^ def impl vis=public sig="extension on Price" end=+2
  void _hidden() {}
//     ^ def method scope=Price vis=private
}
extension type Id(int value) {}
//             ^ def struct vis=public sig="extension type Id(int value)"
//                    ^ def field scope=Id vis=public
// == enumerations with members
enum Color {
//   ^ def enum vis=public sig="enum Color" end=+5
  red(1),
//^ def field scope=Color vis=public sig="red(1)"
  green(2);
//^ def field scope=Color vis=public
  final int code;
//          ^ def field scope=Color vis=public
  const Color(this.code);
//      ^ def method scope=Color vis=public
}
// == types by another name
typedef Callback = void Function(Price);
//      ^ def type vis=public sig="typedef Callback = void Function(Price)"
typedef int Compare(Item a, Item b);
//          ^ def type vis=public sig="typedef int Compare(Item a, Item b)"
// == variables of the file
/// The most.
const maximum = 10;
//    ^ def const vis=public sig="const maximum = 10" doc="The most."
final Price? _cheapest = null;
//           ^ def var vis=private sig="final Price? _cheapest = null"
var counter = 0, step = 1;
//  ^ def var vis=public sig="var counter = 0, step = 1"
//               ^ def var vis=public
int? maybe;
//   ^ def var vis=public sig="int? maybe"
// == functions of the file
/// Helps.
Price helper<T>(int times, {T? named}) {
//    ^ def fn vis=public sig="Price helper<T>(int times, {T? named})" doc="Helps." end=+5
  int inner(int x) => x + times;
//    ^ def fn scope=helper vis=private sig="int inner(int x)"
//                        ^ none
  final twice = (int y) => inner(y);
//                         ^ ref call owner=helper
  counter = twice(3);
//^ ref write owner=helper
  return Price(counter);
//       ^ ref instance owner=helper
}
int get now => 1;
//      ^ def property vis=public sig="int get now"
// == patterns
void show(Object thing) {
//   ^ def fn vis=public end=+7
  switch (thing) {
    case Price(amount: var cents):
//       ^ ref type owner=show
      print(cents);
//          ^ none
    case Color.red:
//       ^ ref type owner=show
      break;
  }
}
