namespace Acme.Shop.Models
{
    public partial class Order
    {
        private int count;

        private void Recount()
        {
            count = lines.Count;
//          ^ -> Order.count
//                  ^ -> src/Shop/Models/Order.cs Order.lines
//                        ^ external
            Id = 1;
//          ^ -> src/Shop/Models/Entity.cs Entity.Id
        }
    }
}
