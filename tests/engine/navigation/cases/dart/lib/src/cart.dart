import 'package:money/money.dart';
import 'tools.dart';

class Base {
  void save() {}
}

class Cart extends Base {
//                 ^ -> Base
  final String name;
  Price? best;
  Cart(this.name);
//          ^ -> name
  Price get total => Price(1);
  void add(Price price) {
    best = price;
//  ^ -> best
    save();
//  ^ -> save
    this.save();
//       ^ -> save
    super.save();
//        ^ -> save
    log(name);
//  ^ -> lib/src/tools.dart log
//      ^ -> name
    best.plus(price);
//       ^ -> packages/money/lib/src/price.dart plus
  }
}
