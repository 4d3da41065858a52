export 'src/price.dart';
