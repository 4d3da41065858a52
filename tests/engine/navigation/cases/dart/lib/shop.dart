import 'dart:io';
import 'package:money/money.dart';
import 'package:http/http.dart' as http;
import 'src/cart.dart';
import 'src/tools.dart' as tools;

const limit = 3;

void main() {
  final cart = Cart('x');
//             ^ -> lib/src/cart.dart Cart
  cart.add(Price(limit));
//     ^ -> lib/src/cart.dart add
//         ^ -> packages/money/lib/src/price.dart Price
//               ^ -> limit
  Price first = Price.zero();
//^ -> packages/money/lib/src/price.dart Price
//                    ^ -> packages/money/lib/src/price.dart zero
  first.plus(first).plus(first);
//      ^ -> packages/money/lib/src/price.dart plus
//                  ^ -> packages/money/lib/src/price.dart plus
  tools.log('x');
//      ^ -> lib/src/tools.dart log
  http.get('x');
//     ^ external
  tools.missing();
//      ^ unresolved
  cart.total.plus(first);
//     ^ -> lib/src/cart.dart total
//           ^ -> packages/money/lib/src/price.dart plus
  helper(first);
//^ -> helper
}

void helper(Price price) {
  price.amount;
//      ^ -> packages/money/lib/src/price.dart amount
}
