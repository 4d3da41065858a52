using System;
using static Acme.Shop.Util.Money;
using Mail = Acme.Shop.Util.Mailer;

namespace Acme.Tests;

public class OrderTests
{
    [Fact]
//   ^ external
    public async void Saves(Order order, object other, Func<Line> make)
//                          ^ -> src/Shop/Models/Order.cs Order, src/Shop/Models/Order.Parts.cs Order
    {
        var mail = new Mail();
//                     ^ -> src/Shop/Util/Mailer.cs Mailer
        var fetched = await mail.FetchAsync(id: Digits);
//                               ^ -> src/Shop/Util/Mailer.cs Mailer.FetchAsync
//                                              ^ -> src/Shop/Util/Money.cs Money.Digits
        fetched.Save().Save();
//              ^ -> src/Shop/Models/Order.cs Order.Save
//                     ^ -> src/Shop/Models/Entity.cs Entity.Save
        order.Buyer?.Greet();
//            ^ -> src/Shop/Models/Order.cs Order.Buyer
//                   ^ -> src/Shop/Models/Customer.cs Customer.Greet
        if (other is Line line) line.Total();
//                   ^ -> src/Shop/Models/Order.cs Line
//                                   ^ -> src/Shop/Models/Order.cs Line.Total
        (other as Customer).Greet();
//                          ^ -> src/Shop/Models/Customer.cs Customer.Greet
        make().Total();
//             ^ unresolved
        Acme.Shop.Util.Texts.Shout("x");
//                     ^ -> src/Shop/Util/Texts.cs Texts
//                           ^ -> src/Shop/Util/Texts.cs Texts.Shout
        Shop.Util.Money.Round(1);
//                ^ -> src/Shop/Util/Money.cs Money
//                      ^ -> src/Shop/Util/Money.cs Money.Round
        "x".Shout();
//          ^ external
        Assert.Equal(Status.Open, default);
//             ^ external
//                          ^ -> src/Shop/Models/Order.cs Status.Open
        Samples.Program.Main();
//                      ^ ambiguous 2
        Check(order);
//      ^ -> OrderTests.Saves.Check
        void Check(Order one) => one.Buyer.Save();
//                                         ^ -> src/Shop/Models/Entity.cs Entity.Save
    }
}
