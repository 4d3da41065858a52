// == license comment
/* Not a doc comment. */
// <- comment
package com.example.shapes;

// == imports: class, static, wildcard
import java.util.List;
// <- import module="java.util" name="List"
//               ^ ref import
import java.io.*;
// <- import module="java.io" name="*"
import static java.lang.Math.max;
// <- import module="java.lang.Math" name="max"
//                           ^ ref import
import static java.util.Map.*;
// <- import module="java.util.Map" name="*"

// == generic class with annotations, bases and javadoc
/** A shape. */
// <- doc
@Entity
 // <- ref decorator owner=Shape
@Table(name = "public x")
 // <- ref decorator owner=Shape
public abstract class Shape<T extends Comparable<T> & Named>
//                    ^ def class vis=public doc="A shape." sig="public abstract class Shape<T extends Comparable<T> & Named> extends base.Node<T> implements Drawable, lib.Closer<T>"
//                                    ^ ref type owner=Shape
//                                                    ^ ref type owner=Shape
    extends base.Node<T>
//          ^ none
//               ^ ref inherit owner=Shape
    implements Drawable, lib.Closer<T> {
//             ^ ref inherit owner=Shape
//                           ^ ref inherit owner=Shape

    // == fields and their visibility
    /** The most. */
    public static final int LIMIT = 3;
//                          ^ def field scope=Shape vis=public sig="public static final int LIMIT = 3" doc="The most."
    @Inject @Named("a private one")
//   ^ ref decorator owner=items
    protected List<Item> items = new ArrayList<>();
//                       ^ def field scope=Shape vis=protected sig="protected List<Item> items = new ArrayList<>()"
//            ^ ref type owner=items
//                 ^ ref type owner=items
//                                   ^ ref instance owner=items
    private int x, y[];
//              ^ def field scope=Shape vis=private
//                 ^ def field scope=Shape vis=private sig="private int x, y[]"
    Node plain;
//       ^ def field scope=Shape vis=internal doc=""

    // == initializer blocks
    static { register(Shape.class); }
//           ^ ref call owner=Shape
//                    ^ ref type owner=Shape
    { prepare(); }
//    ^ ref call owner=Shape

    // == constructor
    /**
     * Makes one.
     */
    protected Shape(int x) throws IOException {
//            ^ def method scope=Shape vis=protected doc="Makes one." sig="protected Shape(int x) throws IOException" end=+3
//                                ^ ref throw
        super(x);
        this.x = x;
//           ^ ref write recv=this
    }

    // == multi-line generic method
    @Override
//   ^ ref decorator owner=convert
    public final <R extends Result> Map<String, R> convert(
//                                                 ^ def method scope=Shape vis=public end=+5 sig="public final <R extends Result> Map<String, R> convert( @Nullable final Input input, Option... options) throws lib.Failure, IOException"
//                          ^ ref type owner=convert
//                                  ^ ref type
        @Nullable final Input input,
//       ^ ref decorator owner=convert
//                      ^ ref type
//                            ^ none
        Option... options)
//      ^ ref type
        throws lib.Failure, IOException {
//                 ^ ref throw
//                          ^ ref throw
        return null;
    }

    // == abstract, native and package-private methods
    abstract void draw(Canvas c);
//                ^ def method scope=Shape vis=internal sig="abstract void draw(Canvas c)"
    private native int size();
//                     ^ def method vis=private sig="private native int size()"

    // == nested and inner classes
    static class Inner {
//               ^ def class scope=Shape vis=internal sig="static class Inner"
        private class Deep { int d; }
//                    ^ def class scope=Shape.Inner vis=private
//                               ^ def field scope=Shape.Inner.Deep
    }
}

// == enum with constants, body and members
public enum Color implements Named {
//          ^ def enum vis=public sig="public enum Color implements Named" end=+7
//                           ^ ref inherit owner=Color
    /** Red. */
    RED,
//  ^ def field scope=Color vis=public doc="Red." sig="RED"
    @Deprecated GREEN(2) { @Override int code() { return 2; } };
//   ^ ref decorator owner=GREEN
//              ^ def field scope=Color vis=public sig="GREEN(2)"
//                                       ^ def method scope=Color.GREEN sig="int code()"
    private final int n;
//                    ^ def field scope=Color vis=private
    Color(int... n) { this.n = n[0]; }
//  ^ def method scope=Color vis=private sig="Color(int... n)"
    int code() { return n; }
//      ^ def method scope=Color vis=internal
}

// == record with compact constructor
record Point(int x, List<Tag> tags) implements Named {
//     ^ def struct vis=internal sig="record Point(int x, List<Tag> tags) implements Named"
//               ^ def field scope=Point vis=public sig="int x"
//                            ^ def field scope=Point vis=public
//                       ^ ref type owner=tags
    public Point { check(x); }
//         ^ def method scope=Point vis=public sig="public Point"
//                 ^ ref call owner=Point
    static Point origin() { return new Point(0, List.of()); }
//               ^ def method scope=Point vis=internal
//                                     ^ ref instance owner=origin
//                                              ^ ref type owner=origin
//                                                   ^ ref call recv=List
}

// == annotation type
@Retention(RetentionPolicy.RUNTIME)
 // <- ref decorator owner=Marker
//         ^ ref type owner=Marker
//                         ^ ref read recv=RetentionPolicy
public @interface Marker {
//                ^ def interface vis=public sig="public @interface Marker"
    String value() default "x";
//         ^ def method scope=Marker vis=public sig="String value() default \"x\""
    int LEVEL = 1;
//      ^ def field scope=Marker vis=public
}

// == interface members are public
public sealed interface Drawable extends Named, lib.Sized<Point> permits Shape {
//                      ^ def interface sig="public sealed interface Drawable extends Named, lib.Sized<Point> permits Shape"
//                                       ^ ref inherit owner=Drawable
//                                                  ^ ref inherit owner=Drawable
//                                                        ^ ref type
//                                                                       ^ ref type
    int DEPTH = 1;
//      ^ def field scope=Drawable vis=public
    void draw();
//       ^ def method scope=Drawable vis=public
    default void twice() { draw(); }
//               ^ def method scope=Drawable vis=public sig="default void twice()"
//                         ^ ref call owner=twice
    private void help() {}
//               ^ def method scope=Drawable vis=private
    class Holder {}
//        ^ def class scope=Drawable vis=public
}
