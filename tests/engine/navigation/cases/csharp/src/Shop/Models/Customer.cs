namespace Acme.Shop.Models;

public record Address(string Street, Customer Owner);

public class Customer(Mailer mailer) : Entity
//                    ^ -> src/Shop/Util/Mailer.cs Mailer
{
    public Address Home { get; set; }

    public void Greet()
    {
        mailer.Send(Name.Shout());
//             ^ -> src/Shop/Util/Mailer.cs Mailer.Send
//                  ^ -> src/Shop/Models/Entity.cs Entity.Name
//                       ^ -> src/Shop/Util/Texts.cs Texts.Shout
        Home.Owner.Greet();
//           ^ -> Address.Owner
//                 ^ -> Customer.Greet
    }
}
