using System.Threading.Tasks;
using Order = Acme.Shop.Models.Order;

namespace Acme.Shop.Util;

public class Mailer
{
    public void Send(string text) { }

    public async Task<Order> FetchAsync(int id)
    {
        var order = Order.Load(id);
//                        ^ -> src/Shop/Models/Order.cs Order.Load
        order.Save();
//            ^ -> src/Shop/Models/Order.cs Order.Save
        await Task.Delay(1);
//                 ^ external
        return order;
    }
}
