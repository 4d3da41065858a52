// == includes, using and modules
#include <vector>
// <- import module=vector
#include "shapes/base.hpp"
// <- import module=shapes/base.hpp
using namespace std;
// <- import module=std
using shapes::Origin;
// <- import module=shapes name=Origin
//            ^ ref import
import shapes.core;
// <- import module=shapes.core
// == namespace and nested namespace
namespace shapes { int total(int first); }
//        ^ def mod vis=public sig="namespace shapes"
//                     ^ def fn scope=shapes vis=public sig="int total(int first)"
namespace geo::flat { struct Grid { int rows; }; }
//             ^ def mod scope=geo vis=public sig="namespace geo::flat"
//                           ^ def struct scope=geo::flat vis=public sig="struct Grid"
//                                      ^ def field scope=geo::flat::Grid vis=public sig="int rows"
namespace geo::flat::deep { void dig(); }
//                   ^ def mod scope=geo::flat vis=public sig="namespace geo::flat::deep"
//                               ^ def fn scope=geo::flat::deep vis=public sig="void dig()"
namespace gf = geo::flat;
//        ^ def mod vis=public sig="namespace gf = geo::flat"
// == unnamed namespace is private
namespace {
int hidden_count = 0;
//  ^ def var vis=private sig="int hidden_count = 0"
struct Hidden { int inner; };
//     ^ def struct vis=private sig="struct Hidden"
//                  ^ def field scope=Hidden vis=public sig="int inner"
void hidden_help() { }
//   ^ def fn vis=private sig="void hidden_help()"
}
// == class with access sections and documentation
/// A shape with sides.
// <- doc
class Polygon final : public Shape, private detail::Counted<Polygon> {
//    ^ def class vis=public sig="class Polygon final : public Shape, private detail::Counted<Polygon>" doc="A shape with sides." end=+19
//                           ^ ref inherit owner=Polygon
//                                                  ^ ref inherit owner=Polygon
//                                                          ^ ref type owner=Polygon
    int sides_, *cache_;
//      ^ def field scope=Polygon vis=private sig="int sides_, *cache_"
//               ^ def field scope=Polygon vis=private sig="int sides_, *cache_"
    static constexpr int kLimit = 12;
//                       ^ def const scope=Polygon vis=private sig="static constexpr int kLimit = 12"
public:
    /** Makes one. */
// <- doc
    explicit Polygon(int sides);
//           ^ def method scope=Polygon vis=public sig="explicit Polygon(int sides)" doc="Makes one."
    Polygon(const Polygon&) = delete;
//  ^ def method scope=Polygon vis=public sig="Polygon(const Polygon&)"
//                ^ ref type owner=Polygon
    virtual ~Polygon();
//          ^ def method scope=Polygon vis=public sig="virtual ~Polygon()"
    int sides() const noexcept { return sides_; }
//      ^ def method scope=Polygon vis=public sig="int sides() const noexcept"
    virtual double area(
//                 ^ def method scope=Polygon vis=public sig="virtual double area( const Scale& scale, int digits = 2) const" end=+2
        const Scale& scale,
//            ^ ref type owner=area
        int digits = 2) const = 0;
protected:
    std::vector<Point>& points();
//       ^ ref type owner=points
//              ^ ref type owner=points
//                      ^ def method scope=Polygon vis=protected sig="std::vector<Point>& points()"
private:
    Point* first() { return nullptr; }
//  ^ ref type owner=first
//         ^ def method scope=Polygon vis=private sig="Point* first()"
#ifdef TRACE
//     ^ ref read owner=Polygon
    void trace();
//       ^ def method scope=Polygon vis=private sig="void trace()"
#endif
};
// == struct members are public by default
struct Pair {
//     ^ def struct vis=public sig="struct Pair" end=+5
    int left;
//      ^ def field scope=Pair vis=public sig="int left"
    void swap(Pair& other);
//       ^ def method scope=Pair vis=public sig="void swap(Pair& other)"
//            ^ ref type owner=swap
private:
    int secret = 0;
//      ^ def field scope=Pair vis=private sig="int secret = 0"
};
// == methods defined outside the class
Polygon::Polygon(int sides)
//       ^ def method scope=Polygon vis=public sig="Polygon::Polygon(int sides)" end=+3
    : Shape(1), sides_(sides) {
//    ^ ref write owner=Polygon
//              ^ ref write owner=Polygon
    cache_ = new int(3);
//  ^ ref write owner=Polygon
}
Polygon::~Polygon() { delete cache_; }
//       ^ def method scope=Polygon vis=public sig="Polygon::~Polygon()"
void Pair::swap(Pair& other) { left = other.left; }
//         ^ def method scope=Pair vis=public sig="void Pair::swap(Pair& other)"
//              ^ ref type owner=swap
//                             ^ ref write owner=swap
void geo::flat::Grid::resize(int rows) { this->rows = rows; }
//                    ^ def method scope=geo::flat::Grid vis=public sig="void geo::flat::Grid::resize(int rows)"
//                                             ^ ref write owner=resize recv=this
std::vector<Point>& Polygon::points() { return storage::all(); }
//   ^ ref type owner=points
//          ^ ref type owner=points
//                           ^ def method scope=Polygon vis=protected sig="std::vector<Point>& Polygon::points()"
//                                                      ^ ref call owner=points recv=storage
// == operators
struct Money {
//     ^ def struct vis=public sig="struct Money" end=+6
    Money& operator+=(const Money& other);
//  ^ ref type owner=operator+=
//         ^ def method scope=Money vis=public sig="Money& operator+=(const Money& other)"
//                          ^ ref type owner=operator+=
    bool operator==(const Money& other) const { return cents == other.cents; }
//       ^ def method scope=Money vis=public sig="bool operator==(const Money& other) const"
//                        ^ ref type owner=operator==
    explicit operator bool() const;
//           ^ def method scope=Money vis=public sig="explicit operator bool() const"
    int operator()(int by) const;
//      ^ def method scope=Money vis=public sig="int operator()(int by) const"
    long cents;
//       ^ def field scope=Money vis=public sig="long cents"
};
Money operator+(const Money& a, const Money& b);
// <- ref type owner=operator+
//    ^ def fn vis=public sig="Money operator+(const Money& a, const Money& b)"
//                    ^ ref type owner=operator+
//                                    ^ ref type owner=operator+
Money::operator bool() const { return cents != 0; }
//     ^ def method scope=Money vis=public sig="Money::operator bool() const"
bool Money::operator<(const Money& other) const { return cents < other.cents; }
//          ^ def method scope=Money vis=public sig="bool Money::operator<(const Money& other) const"
//                          ^ ref type owner="operator<"
// == class template with constraint
template <typename T, int N = 4>
    requires Sortable<T>
//           ^ ref type owner=Stack
//                    ^ ref type owner=Stack
class Stack : public Base<T> {
//    ^ def class vis=public sig="template <typename T, int N = 4> requires Sortable<T> class Stack : public Base<T>" end=+5
//                   ^ ref inherit owner=Stack
//                        ^ ref type owner=Stack
public:
    template <typename U>
    void push(U&& value);
//       ^ def method scope=Stack vis=public sig="template <typename U> void push(U&& value)"
//            ^ ref type owner=push
    T top() const;
//  ^ ref type owner=top
//    ^ def method scope=Stack vis=public sig="T top() const"
};
// == member of a class template outside it
template <typename T, int N>
T Stack<T, N>::top() const { return this->last(); }
// <- ref type owner=top
//^ ref type owner=top
//      ^ ref type owner=top
//         ^ ref type owner=top
//             ^ def method scope=Stack vis=public sig="template <typename T, int N> T Stack<T, N>::top() const"
//                                        ^ ref call owner=top recv=this
// == function template and specialization
template <typename T>
T largest(const T* from,
// <- ref type owner=largest
//^ def fn vis=public sig="template <typename T> T largest(const T* from, const T* to)" end=+3
//              ^ ref type owner=largest
          const T* to) {
//              ^ ref type owner=largest
    return from < to ? *to : *from;
}
template <> int largest<int>(const int* from, const int* to) { return *from; }
//              ^ def fn vis=public sig="template <> int largest<int>(const int* from, const int* to)"
template <> struct Traits<int> { static const bool exact = true; };
//                 ^ def struct vis=public sig="template <> struct Traits<int>"
//                                                 ^ def const scope=Traits vis=public sig="static const bool exact = true"
// == concept
template <typename T>
concept Sortable = requires(T item) { item.less(item); };
//      ^ def trait vis=public sig="template <typename T> concept Sortable"
//                          ^ ref type owner=Sortable
//                                         ^ ref call owner=Sortable recv=item
// == scoped and plain enum
enum class Level : unsigned char { Low, High = 9 };
//         ^ def enum vis=public sig="enum class Level : unsigned char"
//                                 ^ def field scope=Level vis=public sig=Low
//                                      ^ def field scope=Level vis=public sig="High = 9"
enum Old { OLD_ONE };
//   ^ def enum vis=public sig="enum Old"
//         ^ def field scope=Old vis=public sig=OLD_ONE
// == aliases
using Names = std::vector<std::string>;
//    ^ def type vis=public sig="using Names = std::vector<std::string>"
//                 ^ ref type owner=Names
//                             ^ ref type owner=Names
template <typename T> using Handle = Box<T>;
//                          ^ def type vis=public sig="template <typename T> using Handle = Box<T>"
//                                   ^ ref type owner=Handle
//                                       ^ ref type owner=Handle
typedef void (*Callback)(int code);
//             ^ def type vis=public sig="typedef void (*Callback)(int code)"
// == friends
class Vault {
//    ^ def class vis=public sig="class Vault" end=+5
    friend class Keeper;
//               ^ ref type owner=Vault
    friend void open_vault(Vault& vault);
//                         ^ ref type owner=Vault
    friend bool same(const Vault& a, const Vault& b) { return true; }
//              ^ def method scope=Vault vis=private sig="friend bool same(const Vault& a, const Vault& b)"
//                         ^ ref type owner=same
//                                         ^ ref type owner=same
    int code;
//      ^ def field scope=Vault vis=private sig="int code"
};
// == nested types
class Tree {
//    ^ def class vis=public sig="class Tree" end=+7
public:
    struct Node { Node* left; int key; };
//         ^ def struct scope=Tree vis=public sig="struct Node"
//                ^ ref type owner=left
//                      ^ def field scope=Tree::Node vis=public sig="Node* left"
//                                ^ def field scope=Tree::Node vis=public sig="int key"
    enum class Color { Red, Black };
//             ^ def enum scope=Tree vis=public sig="enum class Color"
//                     ^ def field scope=Tree::Color vis=public sig=Red
//                          ^ def field scope=Tree::Color vis=public sig=Black
    using Visitor = void (*)(Node&);
//        ^ def type scope=Tree vis=public sig="using Visitor = void (*)(Node&)"
//                           ^ ref type owner=Visitor
private:
    Node* root_;
//  ^ ref type owner=root_
//        ^ def field scope=Tree vis=private sig="Node* root_"
};
