namespace Acme.Shop.Util;

public static class Money
{
    public const int Digits = 2;
    public static decimal Round(decimal value) => System.Math.Round(value, Digits);
//                                                       ^ external
//                                                            ^ external
//                                                                         ^ -> Money.Digits
}
