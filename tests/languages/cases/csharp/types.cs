// == using directives
using System.Text;
// <- import module=System.Text
//           ^ ref import
using static System.Math;
// <- import module=System.Math
//                  ^ ref import
using Map = System.Collections.Generic.Dictionary<string, int>;
// <- import module="System.Collections.Generic.Dictionary<string, int>" alias=Map
//                 ^ ref type
//                             ^ ref type
//                                     ^ ref type
global using System.Linq;
// <- import module=System.Linq name=global
//                  ^ ref import
// == block namespaces nest
namespace Shop
//        ^ def mod vis=public sig="namespace Shop" end=+6
{
    namespace Stock.Inner
//                  ^ def mod scope=Shop.Stock vis=public sig="namespace Stock.Inner" end=+3
    {
        class Shelf { }
//            ^ def class scope=Shop.Stock.Inner vis=internal sig="class Shelf"
    }
}
namespace Shop.Orders
//             ^ def mod scope=Shop vis=public sig="namespace Shop.Orders" end=+62
{
    // == class with attribute, bases and constraints
    /// <summary>Keeps orders of <see cref="Customer"/>.</summary>
// <- doc
    /// <param name="limit">how many</param>
// <- doc
    [Serializable, Table("orders")]
//   ^ ref decorator owner=OrderBook
//                 ^ ref decorator owner=OrderBook
    public sealed partial class OrderBook<TItem, TKey>
//                              ^ def class scope=Shop.Orders vis=public sig="public sealed partial class OrderBook<TItem, TKey> : Book<TItem>, IReadable, Core.IStore<TKey> where TItem : class, IEntity, new() where TKey : struct" end=+43
        : Book<TItem>, IReadable, Core.IStore<TKey>
//        ^ ref inherit owner=OrderBook
//             ^ ref type owner=OrderBook
//                     ^ ref inherit owner=OrderBook
//                                     ^ ref inherit owner=OrderBook
//                                            ^ ref type owner=OrderBook
        where TItem : class, IEntity, new()
//                           ^ ref type owner=OrderBook
        where TKey : struct
    {
        // == constants and fields
        public const int Limit = 10, Spare = 2;
//                       ^ def const scope=Shop.Orders.OrderBook vis=public sig="public const int Limit = 10, Spare = 2"
//                                   ^ def const scope=Shop.Orders.OrderBook vis=public sig="public const int Limit = 10, Spare = 2"
        private readonly Queue<TItem> _queue = new();
//                       ^ ref type owner=_queue
//                             ^ ref type owner=_queue
//                                    ^ def field scope=Shop.Orders.OrderBook vis=private sig="private readonly Queue<TItem> _queue = new()"
        static int counter;
//                 ^ def field scope=Shop.Orders.OrderBook vis=private sig="static int counter"
        // == properties
        public string Name { get; private set; } = "none";
//                    ^ def property scope=Shop.Orders.OrderBook vis=public sig="public string Name"
        protected internal int Count => _queue.Count;
//                             ^ def property scope=Shop.Orders.OrderBook vis=protected sig="protected internal int Count"
        public required Customer Owner { get; init; }
//                      ^ ref type owner=Owner
//                               ^ def property scope=Shop.Orders.OrderBook vis=public sig="public required Customer Owner"
        // == indexer
        public TItem this[int index] { get => Find(index); set { } }
//             ^ ref type owner=this
//                   ^ def property scope=Shop.Orders.OrderBook vis=public sig="public TItem this[int index]"
//                                            ^ ref call owner=this
        // == events
        public event EventHandler Opened, Closed;
//                   ^ ref type owner=Closed
//                                ^ def property scope=Shop.Orders.OrderBook vis=public sig="public event EventHandler Opened, Closed"
//                                        ^ def property scope=Shop.Orders.OrderBook vis=public sig="public event EventHandler Opened, Closed"
        internal event EventHandler Moved { add { } remove { } }
//                     ^ ref type owner=Moved
//                                  ^ def property scope=Shop.Orders.OrderBook vis=internal sig="internal event EventHandler Moved"
        // == constructors and destructor
        public OrderBook(int limit) : base(limit) { this.limit = limit; }
//             ^ def method scope=Shop.Orders.OrderBook vis=public sig="public OrderBook(int limit)"
//                                                       ^ ref write owner=OrderBook recv=this
        static OrderBook() { }
//             ^ def method scope=Shop.Orders.OrderBook vis=private sig="static OrderBook()"
        ~OrderBook() { }
//      ^ def method scope=Shop.Orders.OrderBook vis=private sig="~OrderBook()"
        // == method with a multi-line signature
        /// <summary>Finds one.</summary>
// <- doc
        [Obsolete]
//       ^ ref decorator owner=FindAsync
        public async Task<List<TItem>> FindAsync<TQuery>(
//                   ^ ref type owner=FindAsync
//                        ^ ref type owner=FindAsync
//                             ^ ref type owner=FindAsync
//                                     ^ def method scope=Shop.Orders.OrderBook vis=public sig="public async Task<List<TItem>> FindAsync<TQuery>( TQuery query, [NotNull] Customer customer, params string[] words) where TQuery : IQuery" doc="Finds one." end=+14
            TQuery query,
//          ^ ref type owner=FindAsync
            [NotNull] Customer customer,
//           ^ ref decorator owner=FindAsync
//                    ^ ref type owner=FindAsync
            params string[] words)
            where TQuery : IQuery
//                         ^ ref type owner=FindAsync
        {
            var found = new Finder<TItem>(query);
//                          ^ ref instance owner=FindAsync
//                                 ^ ref type owner=FindAsync
            // == local function
            int Score(Customer one) => Rank(one);
//              ^ def fn scope=Shop.Orders.OrderBook.FindAsync vis=private sig="int Score(Customer one)"
//                    ^ ref type owner=Score
//                                     ^ ref call owner=Score
            // == calls and writes
            found.Filter(words).Sort();
//                ^ ref call owner=FindAsync recv=found
//                              ^ ref call owner=FindAsync recv="found.Filter()"
            customer?.Notify();
//                    ^ ref call owner=FindAsync
            Parse<int>(words);
//          ^ ref call owner=FindAsync
            Name = "x";
//          ^ ref write owner=FindAsync
            customer.Level += 1;
//                   ^ ref write owner=FindAsync recv=customer
            throw new ShopException("bad");
//                    ^ ref throw owner=FindAsync
        }
        // == operators
        public static OrderBook<TItem, TKey> operator +(OrderBook<TItem, TKey> a, int b) => a;
//                    ^ ref type owner="operator +"
//                              ^ ref type owner="operator +"
//                                     ^ ref type owner="operator +"
//                                           ^ def method scope=Shop.Orders.OrderBook vis=public sig="public static OrderBook<TItem, TKey> operator +(OrderBook<TItem, TKey> a, int b)"
//                                                      ^ ref type owner="operator +"
//                                                                ^ ref type owner="operator +"
//                                                                       ^ ref type owner="operator +"
        public static implicit operator int(OrderBook<TItem, TKey> book) => 1;
//                             ^ def method scope=Shop.Orders.OrderBook vis=public sig="public static implicit operator int(OrderBook<TItem, TKey> book)"
//                                          ^ ref type owner="operator int"
//                                                    ^ ref type owner="operator int"
//                                                           ^ ref type owner="operator int"
        // == explicit interface implementation
        void IReadable.Read() { }
//           ^ ref type owner=Read
//                     ^ def method scope=Shop.Orders.OrderBook vis=private sig="void IReadable.Read()"
        // == member visibility
        private protected void Both() { }
//                             ^ def method scope=Shop.Orders.OrderBook vis=protected sig="private protected void Both()"
        void Plain() { }
//           ^ def method scope=Shop.Orders.OrderBook vis=private sig="void Plain()"
        internal void Inside() { }
//                    ^ def method scope=Shop.Orders.OrderBook vis=internal sig="internal void Inside()"
        // == nested types
        public struct Entry { public int Key; }
//                    ^ def struct scope=Shop.Orders.OrderBook vis=public sig="public struct Entry"
//                                       ^ def field scope=Shop.Orders.OrderBook.Entry vis=public sig="public int Key"
        protected enum State : byte { Open, Done = 4 }
//                     ^ def enum scope=Shop.Orders.OrderBook vis=protected sig="protected enum State : byte"
//                                    ^ def field scope=Shop.Orders.OrderBook.State vis=public sig=Open
//                                          ^ def field scope=Shop.Orders.OrderBook.State vis=public sig="Done = 4"
        private delegate bool Check(Entry entry);
//                            ^ def type scope=Shop.Orders.OrderBook vis=private sig="private delegate bool Check(Entry entry)"
//                                  ^ ref type owner=Check
    }
    // == interface members are public
    public interface IReadable : IBase
//                   ^ def interface scope=Shop.Orders vis=public sig="public interface IReadable : IBase" end=+5
//                               ^ ref inherit owner=IReadable
    {
        void Read();
//           ^ def method scope=Shop.Orders.IReadable vis=public sig="void Read()"
        int Length { get; }
//          ^ def property scope=Shop.Orders.IReadable vis=public sig="int Length"
        string Describe() => Length.ToString();
//             ^ def method scope=Shop.Orders.IReadable vis=public sig="string Describe()"
//                           ^ ref type owner=Describe
//                                  ^ ref call owner=Describe recv=Length
    }
    // == records
    public record Person(string First, string Last) : Being(First);
//                ^ def class scope=Shop.Orders vis=public sig="public record Person(string First, string Last) : Being(First)"
//                              ^ def property scope=Shop.Orders.Person vis=public sig="string First"
//                                            ^ def property scope=Shop.Orders.Person vis=public sig="string Last"
//                                                    ^ ref inherit owner=Person
    record struct Spot(int X);
//                ^ def struct scope=Shop.Orders vis=internal sig="record struct Spot(int X)"
//                         ^ def property scope=Shop.Orders.Spot vis=public sig="int X"
    public record class Empty;
//                      ^ def class scope=Shop.Orders vis=public sig="public record class Empty"
    // == extension methods
    static class Extensions
//               ^ def class scope=Shop.Orders vis=internal sig="static class Extensions" end=+3
    {
        public static int Words(this string text) => Count(text);
//                        ^ def method scope=Shop.Orders.Extensions vis=public sig="public static int Words(this string text)"
//                                                   ^ ref call owner=Words
    }
}
