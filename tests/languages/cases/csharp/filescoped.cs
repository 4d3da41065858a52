// == file-scoped namespace
namespace Shop.Web;
// == top-level default is internal
class Server(int port) : Host(port), IServer { }
//    ^ def class vis=internal sig="class Server(int port) : Host(port), IServer"
//                       ^ ref inherit owner=Server
//                                   ^ ref inherit owner=Server
enum Mode { Fast, Slow }
//   ^ def enum vis=internal sig="enum Mode"
//          ^ def field scope=Mode vis=public sig=Fast
//                ^ def field scope=Mode vis=public sig=Slow
delegate Task Handler(Request request);
//       ^ ref type owner=Handler
//            ^ def type vis=internal sig="delegate Task Handler(Request request)"
//                    ^ ref type owner=Handler
interface IServer { }
//        ^ def interface vis=internal sig="interface IServer"
// == conditional compilation
#if DEBUG
public class Tracer
//           ^ def class vis=public sig="public class Tracer" end=+10
{
#region counting
    private int hits;
//              ^ def field scope=Tracer vis=private sig="private int hits"
#endregion
#if TRACE
    public void Dump() { }
//              ^ def method scope=Tracer vis=public sig="public void Dump()"
#else
    public void Skip() { }
//              ^ def method scope=Tracer vis=public sig="public void Skip()"
#endif
}
#endif
// == patterns, casts and generics name types
class Uses
//    ^ def class vis=internal sig="class Uses" end=+11
{
    object Pick(object value)
//         ^ def method scope=Uses vis=private sig="object Pick(object value)" end=+8
    {
        if (value is Circle circle) return circle;
//                   ^ ref type owner=Pick
        var square = value as Square;
//                            ^ ref type owner=Pick
        foreach (Shape shape in Shapes.All()) { }
//               ^ ref type owner=Pick
//                              ^ ref type owner=Pick
//                                     ^ ref call owner=Pick recv=Shapes
        try { Run(); } catch (IoError error) { }
//            ^ ref call owner=Pick
//                            ^ ref type owner=Pick
        Box<Item[]>? box = (Box<Item[]>)value;
//      ^ ref type owner=Pick
//          ^ ref type owner=Pick
//                          ^ ref type owner=Pick
//                              ^ ref type owner=Pick
        return typeof(Triangle);
//                    ^ ref type owner=Pick
    }
}
// == unicode identifiers
class Größe { int Länge; }
//    ^ def class vis=internal sig="class Größe"
//                  ^ def field scope=Größe vis=private sig="int Länge"
// == comment before
/* Counts things. */
// <- comment
class Counter { }
//    ^ def class vis=internal sig="class Counter" doc="Counts things."
/** Sums things. */
// <- doc
class Summer { }
//    ^ def class vis=internal sig="class Summer" doc="Sums things."
