class Price {
  final int amount;
  Price(this.amount);
  Price.zero() : amount = 0;
//               ^ -> amount
  Price plus(Price other) => Price(amount + other.amount);
//^ -> Price
//                                 ^ -> amount
//                                                ^ -> amount
  void _hide() {}
}
