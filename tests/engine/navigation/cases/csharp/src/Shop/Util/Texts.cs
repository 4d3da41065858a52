namespace Acme.Shop.Util;

public static class Texts
{
    public static string Shout(this string text) => text.ToUpper();
//                                                       ^ external
}
