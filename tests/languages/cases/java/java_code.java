// == package-private class
class Code {
//    ^ def class vis=internal scope=""

    // == calls in every form
    void calls(Shape s) {
//       ^ def method scope=Code
//             ^ ref type owner=calls
        helper(1);
//      ^ ref call owner=calls recv=""
        this.run();
//           ^ ref call recv=this
        s.items.add(2);
//        ^ ref read recv=s
//              ^ ref call recv=s.items
        Math.max(1, 2);
//      ^ ref type
//           ^ ref call recv=Math
        super.calls(s);
//            ^ ref call recv=super
        Collections.<Item>emptyList();
//                   ^ ref type
//                        ^ ref call
    }

    // == object creation
    Object make() {
//         ^ def method
        new Shape(1);
//          ^ ref instance owner=make
        new lib.Node<Item>();
//          ^ none
//              ^ ref instance recv=lib
//                   ^ ref type
        outer.new Inner();
//                ^ ref instance
        Shape[] all = new Shape[3];
//              ^ none
//      ^ ref type
//                        ^ ref type
        return null;
    }

    // == anonymous class
    Runnable anonymous() {
//           ^ def method scope=Code
        return new Runnable() {
//                 ^ ref instance owner=anonymous
            private int runs;
//                      ^ def field scope=Code.anonymous vis=private
            @Override public void run() { runs++; }
//                                ^ def method scope=Code.anonymous vis=public sig="public void run()"
//                                        ^ ref write owner=run
        };
    }

    // == lambdas and method references
    void lambdas(List<String> names) {
//       ^ def method
        Runnable r = () -> { int n = 1; work(n); };
//               ^ none
//                               ^ none
//                                      ^ ref call owner=lambdas
        names.stream().map(String::length).map(v -> v + 1).toArray(Box[]::new);
//            ^ ref call recv=names
//                     ^ ref call
//                         ^ ref type
//                                 ^ ref call recv=String
//                                                         ^ ref call
        use(Shape::new);
//          ^ ref instance
    }

    // == throwing and catching
    void failing() throws Failure {
//       ^ def method sig="void failing() throws Failure"
//                        ^ ref throw owner=failing
        try (Res res = open()) {
//           ^ ref type
//               ^ none
//                     ^ ref call
            throw new lib.Problem("x");
//                        ^ ref throw
        } catch (Failure | Problem e) {
//               ^ ref type
//                         ^ ref type
//                                 ^ none
            throw e;
        }
    }

    // == reads and writes of fields
    void fields(Shape s) {
//       ^ def method
        s.x = Shape.LIMIT;
//        ^ ref write recv=s
//            ^ ref type
//                  ^ ref read recv=Shape
        this.count += s.y;
//           ^ ref write recv=this
//                      ^ ref read recv=s
        total--;
//      ^ ref write
    }

    // == patterns, casts and local types
    int patterns(Object o) {
//      ^ def method
        if (o instanceof Point p && p.x() > 0) { return ((Shape) o).id; }
//                       ^ ref type
//                                    ^ ref call recv=p
//                                                        ^ ref type
//                                                                  ^ ref read
        var local = switch (o) { case Circle c -> 1; default -> 0; };
//      ^ none
//          ^ none
//                                    ^ ref type
        class Helper { int h; }
//            ^ def class scope=Code.patterns
//                         ^ def field scope=Code.patterns.Helper
        record Row(int id) {}
//             ^ def struct scope=Code.patterns
//                     ^ def field scope=Code.patterns.Row
        return 1;
    }

    // == comment between annotation and method
    /** Kept. */
    @Deprecated
//   ^ ref decorator owner=commented
    // a remark
//  ^ comment
    public int commented() { return 1; }
//             ^ def method doc="Kept." sig="public int commented()"

    // == line comment is not documentation
    // Only a remark.
    void remark() {}
//       ^ def method doc=""

    // == unicode identifiers
    int größe(int länge) { return länge; }
//      ^ def method sig="int größe(int länge)"
}
