#include <iostream>
#include "zoo/keeper.hpp"

namespace app {
int weigh(int x) { return x; }
}

using zoo::Dog;
//         ^ -> include/zoo/animal.hpp zoo::Dog
typedef zoo::Keeper Boss;

int main() {
    zoo::Keeper::instance().round();
//       ^ -> include/zoo/keeper.hpp zoo::Keeper
//               ^ -> src/keeper.cpp Keeper::instance, include/zoo/keeper.hpp zoo::Keeper::instance
//                          ^ -> src/keeper.cpp Keeper::round, include/zoo/keeper.hpp zoo::Keeper::round
    Boss boss;
//  ^ -> Boss
    boss.open(1)->at(2);
//       ^ -> src/keeper.cpp Keeper::open, include/zoo/keeper.hpp zoo::Keeper::open
//                ^ -> include/zoo/keeper.hpp zoo::Cage::at
    Dog rex("Rex");
//  ^ -> include/zoo/animal.hpp zoo::Dog
    rex.wag();
//      ^ -> src/animal.cpp zoo::Dog::wag, include/zoo/animal.hpp zoo::Dog::wag
    auto made = std::make_unique<Dog>("Tim");
    made->speak();
//        ^ -> src/animal.cpp zoo::Dog::speak, include/zoo/animal.hpp zoo::Dog::speak
    auto* raw = new Dog("Bob");
    raw->speak();
//       ^ -> src/animal.cpp zoo::Dog::speak, include/zoo/animal.hpp zoo::Dog::speak
    static_cast<zoo::Animal*>(raw)->feed(1);
//                                  ^ -> src/animal.cpp zoo::Animal::feed, include/zoo/animal.hpp zoo::Animal::feed
    zoo::weigh(rex);
//       ^ -> src/animal.cpp zoo::weigh, include/zoo/animal.hpp zoo::weigh
    app::weigh(1);
//       ^ -> app::weigh
    weigh(rex);
//  ^ unresolved
    std::cout << rex.name() << std::endl;
//       ^ external
//                   ^ -> include/zoo/animal.hpp zoo::Animal::name
    ZOO_EACH(boss, 1) { cage->at(0); }
//  ^ -> include/zoo/keeper.hpp ZOO_EACH
//                            ^ unresolved
    auto visit = [&](Dog& one) { one.wag(); };
//                                   ^ -> src/animal.cpp zoo::Dog::wag, include/zoo/animal.hpp zoo::Dog::wag
    visit(rex);
//  ^ external
    return ::zoo::detail::clamp(0) + zoo::Animal::count;
//                        ^ -> include/zoo/animal.hpp zoo::detail::clamp
//                                                ^ -> include/zoo/animal.hpp zoo::Animal::count, src/animal.cpp zoo::Animal::count
}
