namespace Acme.Shop.Models;

public interface INamed
{
    string Name { get; }
}

public abstract class Entity : INamed
//                             ^ -> INamed
{
    public string Name { get; set; } = "";
    protected int Id;

    public virtual Entity Save()
    {
        this.Id = NextId();
//           ^ -> Entity.Id
//                ^ -> Entity.NextId
        return this;
    }

    static int NextId() => Counter.Next++;
//                         ^ -> Counter
//                                 ^ -> Counter.Next

    static class Counter { internal static int Next; }
}
