using System.Collections.Generic;

namespace Acme.Shop.Models
{
    public partial class Order : Entity
//                               ^ -> src/Shop/Models/Entity.cs Entity
    {
        private readonly List<Line> lines = new();
        private Status status = Status.Open;
//                              ^ -> Status
//                                     ^ -> Status.Open

        public Customer Buyer { get; init; }
//             ^ -> src/Shop/Models/Customer.cs Customer

        public override Entity Save()
        {
            foreach (var line in lines)
            {
                line.Total();
//                   ^ -> Line.Total
            }
            Recount();
//          ^ -> src/Shop/Models/Order.Parts.cs Order.Recount
            Buyer.Greet();
//                ^ -> src/Shop/Models/Customer.cs Customer.Greet
            lines.Clear();
//                ^ external
            return base.Save();
//                      ^ -> src/Shop/Models/Entity.cs Entity.Save
        }

        public static Order Load(int id) => new Order { Name = "x", Buyer = null };
//                                                      ^ -> src/Shop/Models/Entity.cs Entity.Name
//                                                                  ^ -> Order.Buyer
    }

    public enum Status { Open, Closed }

    public class Line
    {
        public decimal Total() => Round(1);
//                                ^ -> src/Shop/Util/Money.cs Money.Round
    }
}
